// links: tiers_remote
// Files of seal keys: 64 hexadecimal digits are a key, nothing else is, and a refusal does not depend on the content.
#include <algorithm>

#include "tests/fuzz/fuzzing.h"
#include "tiers/remote/entry_seal.h"

namespace {

bool is_key(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvantage;
  static const test::MemoryFile file;
  const auto read = [](std::string_view text) {
    file.write(text);
    return SealKey::read(file.path());
  };
  static const std::string refusal = read("").error().message;
  const std::string text = test::text_of(data, size);
  const auto key = read(text);
  test::must_hold(key.has_value() == is_key(text), "64 hexadecimal digits are a key, and nothing else");
  if (key) return 0;
  test::check_file_refusal(key.error());
  test::must_hold(key.error().message == refusal, "a refusal does not depend on the content");
  return 0;
}
