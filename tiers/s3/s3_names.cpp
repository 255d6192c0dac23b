#include "tiers/s3/s3_names.h"

#include <cctype>

namespace kvantage::inline s3 {
namespace {

constexpr const char* upper_digits = "0123456789ABCDEF";

bool is_unreserved(unsigned char letter) {
  return letter < 0x80 &&
         (std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.' || letter == '~');
}

// One folder, whatever the scope is; different scopes stay different.
std::string one_folder(std::string_view scope) {
  std::string name;
  for (const char letter : scope) {
    const auto code = static_cast<unsigned char>(letter);
    if (is_unreserved(code) && code != '~')
      name += letter;
    else
      name += {'~', upper_digits[code >> 4], upper_digits[code & 15]};
  }
  return name == "." || name == ".." || name.empty() ? "~" + name : name;
}

}  // namespace

std::string s3_escaped(std::string_view text, bool slashes) {
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (is_unreserved(code) || (slashes && letter == '/'))
      safe += letter;
    else
      safe += {'%', upper_digits[code >> 4], upper_digits[code & 15]};
  }
  return safe;
}

S3Names::S3Names(const std::string& prefix, const std::string& scope)
    : base_(prefix + "/v1/" + one_folder(scope) + "/") {}

std::optional<Digest128> S3Names::key_in(std::string_view name) const {
  const std::string folder = entries();
  if (!name.starts_with(folder)) return std::nullopt;
  const auto key = Digest128::from_hex(name.substr(folder.size()));
  return key && key->hex() == name.substr(folder.size()) ? std::optional(*key) : std::nullopt;  // not with capitals
}

}  // namespace kvantage::inline s3
