#include "tiers/s3/s3_credentials.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "tiers/remote/redis_credentials.h"
#include "tiers/remote/secret_file.h"

namespace kvantage::inline s3 {
namespace {

std::string s3_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string first_variable(const char* name, const char* otherwise) {
  const std::string value = s3_variable(name);
  return value.empty() ? s3_variable(otherwise) : value;
}

struct S3KeysLine {
  S3Url url;
  bool at_amazon = false;  // it names no endpoint
  S3Keys keys;
};

bool keys_belong_to(const S3KeysLine& line, const S3Url& url) {
  if (line.url.bucket != url.bucket) return false;
  if (line.at_amazon) return url.is_amazon();
  return host_key(line.url.host) == host_key(url.host) && line.url.port == url.port && line.url.tls == url.tls;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != line.npos; at = line.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Expected<std::optional<S3KeysLine>> read_keys_line(std::string_view text, const std::string& where) {
  const auto wrong = [&where](const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                where + ": " + reason + "; write s3://BUCKET[?endpoint=https://HOST] KEY_ID SECRET_KEY [TOKEN]");
  };
  const auto words = words_of(text);
  if (words.empty() || words.front().starts_with('#')) return std::optional<S3KeysLine>();
  if (words.size() != 3 && words.size() != 4) return wrong("is not a url with two keys");
  S3KeysLine line;
  const auto url = parse_s3_url(words[0], {});
  if (!url) return wrong("is not the url of a bucket");  // its own message could quote a key
  line.url = *url;
  line.at_amazon = words[0].find("endpoint=") == words[0].npos;
  line.keys = {std::string(words[1]), std::string(words[2]), words.size() == 4 ? std::string(words[3]) : ""};
  return std::optional(std::move(line));
}

Expected<std::optional<S3Keys>> keys_in_file(const S3Url& url) {
  const std::filesystem::path path = s3_keys_file();
  if (path.empty()) return std::optional<S3Keys>();
  KV_ASSIGN(const auto text, read_secret_file(path, "these keys"));
  if (!text) return std::optional<S3Keys>();
  std::size_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    KV_ASSIGN(auto line, read_keys_line(rest.substr(0, end), path.string() + ":" + std::to_string(++number)));
    if (line && keys_belong_to(*line, url)) return std::optional(std::move(line->keys));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::optional<S3Keys>();
}

// They become headers: a line break would begin another one.
bool is_sendable(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char letter) { return letter > ' ' && letter < 0x7f; });
}

}  // namespace

S3Defaults s3_defaults() {
  return {first_variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
          first_variable("AWS_REGION", "AWS_DEFAULT_REGION")};
}

std::filesystem::path s3_keys_file() {
  const std::filesystem::path passwords = credentials_file();
  return passwords.empty() ? passwords : passwords.parent_path() / "s3_keys";
}

Expected<S3Keys> s3_keys_for(const S3Url& url, UrlSource source) {
  KV_ASSIGN(auto found, keys_in_file(url));
  const bool users = source == UrlSource::user;
  if (!found && users)
    found = S3Keys{s3_variable("AWS_ACCESS_KEY_ID"), s3_variable("AWS_SECRET_ACCESS_KEY"),
                   s3_variable("AWS_SESSION_TOKEN")};
  const std::string file = s3_keys_file().string();
  const std::string mend = std::string(users ? "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" : "") +
                           (users && !file.empty() ? ", or " : "") +
                           (file.empty() ? "" : "write a line for it into " + file);
  if (!found || found->access_key_id.empty() || found->secret_access_key.empty())
    return fail(ErrorCode::rejected_input, url.address() + ": no keys for this bucket; " +
                                               (mend.empty() ? "set HOME, and write them into a file there" : mend));
  if (!is_sendable(found->access_key_id) || !is_sendable(found->secret_access_key) ||
      !is_sendable(found->session_token))
    return fail(ErrorCode::rejected_input,
                url.address() + ": its keys hold a blank or another sign that no key has; copy them again");
  return std::move(*found);
}

}  // namespace kvantage::inline s3
