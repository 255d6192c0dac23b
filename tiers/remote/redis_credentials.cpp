#include "tiers/remote/redis_credentials.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "core/base/files.h"
#include "tiers/remote/secret_file.h"

namespace kvantage::inline remote {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

struct Entry {
  RedisUrl url;
  bool any_port = false;
  std::string password;
};

bool belongs_to(const Entry& entry, const RedisUrl& url) {
  return host_key(entry.url.host) == host_key(url.host) && (entry.any_port || entry.url.port == url.port) &&
         (!entry.url.tls || url.tls) && (url.user.empty() || url.user == entry.url.user);
}

Expected<std::optional<Entry>> read_entry(std::string_view line, const std::string& where) {
  const auto wrong = [&where](const std::string& reason) {
    return fail(ErrorCode::rejected_input, where + ": " + reason + "; write redis://[user@]host[:port] PASSWORD");
  };
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (line.empty() || line.front() == '#') return std::optional<Entry>();
  const std::size_t gap = line.find_first_of(" \t");
  const std::size_t password = gap == std::string_view::npos ? gap : line.find_first_not_of(" \t", gap);
  if (password == std::string_view::npos) return wrong("no password follows the url");
  const std::string_view text = line.substr(0, gap);
  const auto url = parse_redis_url(text);
  if (!url) return wrong("is not a server's url");  // its own message could quote the part before the @
  if (!url->password.empty()) return wrong("the url already holds a password");
  const std::string_view host = text.substr(text.rfind('@') == std::string_view::npos ? 0 : text.rfind('@'));
  const bool any_port = host.rfind(':') == std::string_view::npos || host.substr(host.rfind(':')).starts_with("://") ||
                        host.ends_with(']');
  return std::optional(Entry{*url, any_port, std::string(line.substr(password))});
}

/// The first entry that matches the url.
Expected<std::optional<Entry>> find_entry(const RedisUrl& url) {
  const std::filesystem::path path = credentials_file();
  if (path.empty()) return std::optional<Entry>();
  KV_ASSIGN(const auto text, read_secret_file(path, "these passwords"));
  if (!text) return std::optional<Entry>();
  std::size_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    KV_ASSIGN(auto entry, read_entry(rest.substr(0, end), path.string() + ":" + std::to_string(++number)));
    if (entry && belongs_to(*entry, url)) return entry;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::optional<Entry>();
}

}  // namespace

std::filesystem::path credentials_file() {
  if (const std::string folder = variable("XDG_CONFIG_HOME"); folder.starts_with('/'))
    return std::filesystem::path(folder) / "kvantage" / "credentials";
  const std::string home = home_directory();
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".config" / "kvantage" / "credentials";
}

std::string password_variable(const std::string& host) {
  std::string name = std::string(redis_password_variable) + "_";
  for (const char letter : host) {
    const auto code = static_cast<unsigned char>(letter);
    name += std::isalnum(code) != 0 && code < 0x80 ? static_cast<char>(std::toupper(code)) : '_';
  }
  return name;
}

std::string credentials_help(const RedisUrl& url) {
  const std::string file = credentials_file().string();
  return "the variable " + password_variable(url.host) + (file.empty() ? "" : " or a line of " + file);
}

Expected<RedisUrl> with_credentials(RedisUrl url, UrlSource source) {
  if (!url.password.empty()) return url;
  url.password = variable(password_variable(url.host).c_str());
  if (!url.password.empty()) return url;
  KV_ASSIGN(const auto entry, find_entry(url));
  if (entry) {
    url.user = entry->url.user;
    url.password = entry->password;
  } else if (source == UrlSource::user) {
    url.password = variable(redis_password_variable);
  }
  return url;
}

}  // namespace kvantage::inline remote
