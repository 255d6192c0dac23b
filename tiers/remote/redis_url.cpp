#include "tiers/remote/redis_url.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace kvantage::inline remote {
namespace {

constexpr std::string_view scheme = "redis://", tls_scheme = "rediss://", ca_parameter = "ca=";
constexpr const char* right_form = "write url=redis://[user:password@]host:port[/db]";

tl::unexpected<Error> usage(const std::string& reason, const std::string& mend = right_form) {
  return fail(ErrorCode::usage, "url: " + reason + "; " + mend);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t max_bytes = 60;  // of a one-line message
  const bool cut = text.size() > max_bytes;
  return std::string(1, '\'').append(text.substr(0, max_bytes)).append(cut ? "...'" : "'");
}

std::optional<int> whole_number(std::string_view text, int most) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc{} || end != text.data() + text.size() || value < 0 || value > most)
    return std::nullopt;
  return value;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, code] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (code != std::errc{} || end != text.data() + i + 3) return std::nullopt;
    plain += static_cast<char>(value);
    i += 2;
  }
  return plain;
}

std::string escaped(std::string_view text, std::string_view letters) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string safe;
  for (const char letter : text)
    if (const auto code = static_cast<unsigned char>(letter); code <= ' ' || letters.find(letter) != letters.npos)
      safe += {'%', digits[code >> 4], digits[code & 15]};
    else
      safe += letter;
  return safe;
}

// "ca=FILE", after the question mark.
Status read_parameters(std::string_view text, RedisUrl& url) {
  if (!text.starts_with(ca_parameter) || text.find('&') != std::string_view::npos)
    return usage("what follows the ? is not a parameter", "the only one is ?ca=FILE, a PEM file of certificates");
  const auto file = unescaped(text.substr(ca_parameter.size()));
  if (!file || file->empty()) return usage("ca= names no file", "write ?ca=FILE, and a plain % in it as %25");
  if (!url.tls) return usage("ca= belongs to TLS", "write rediss:// or leave it out");
  url.authorities = *file;
  return {};
}

}  // namespace

std::string host_key(std::string_view host) {
  std::string key(host.ends_with('.') ? host.substr(0, host.size() - 1) : host);
  std::ranges::transform(key, key.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return key;
}

std::string without_credentials(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return std::string(text);
  std::size_t begin = text.find("//");
  if (begin != std::string_view::npos && begin < at) {
    begin += 2;
  } else {
    // Without a scheme, everything after url= could be a password.
    begin = text.find("url=");
    begin = begin == std::string_view::npos || begin > at ? 0 : begin + 4;
  }
  return std::string(text.substr(0, begin)).append("***").append(text.substr(at));
}

std::string without_parameters(std::string text) {
  constexpr std::string_view left_out = "?...";
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t end = std::min(text.find(',', at), text.size()), mark = text.find('?', at);
    if (mark < end) text.replace(mark, end - mark, left_out);
  }
  return text;
}

std::string RedisUrl::shown() const {
  const bool bare_v6 = host.find(':') != std::string::npos;
  std::string text(tls ? tls_scheme : scheme);
  if (!user.empty()) text += escaped(user, "@,:/%?") + "@";
  text += bare_v6 ? "[" + host + "]" : host;
  text += ":" + std::to_string(port);
  if (database != 0) text += "/" + std::to_string(database);
  return text;
}

Expected<RedisUrl> parse_redis_url(std::string_view text) {
  if (text.starts_with("valkey://") || text.starts_with("tcp://"))
    return usage("write this address with redis:// (also for Valkey)");
  const bool tls = text.starts_with(tls_scheme);
  if (!tls && !text.starts_with(scheme)) {
    const std::size_t end = text.find("://");
    if (text.empty()) return usage("it is empty");
    if (end != std::string_view::npos && text.find('@') > end)
      return usage(kvantage::quoted(text.substr(0, end + 3)) + " is not the address of a Redis server");
    return usage("it does not begin with redis://");
  }
  std::string_view rest = text.substr(tls ? tls_scheme.size() : scheme.size());
  RedisUrl url;
  url.tls = tls;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view account = rest.substr(0, at);
    const std::size_t colon = account.find(':');
    const auto user = unescaped(account.substr(0, colon));
    const auto password =
        colon == std::string_view::npos ? std::optional<std::string>("") : unescaped(account.substr(colon + 1));
    if (!user || !password)
      return usage("a % before the @ is not followed by two hexadecimal digits", "write a plain % as %25");
    url.user = *user;
    url.password = *password;
    rest.remove_prefix(at + 1);
  }
  if (const std::size_t mark = rest.find("?"); mark != std::string_view::npos) {
    KV_TRY(read_parameters(rest.substr(mark + 1), url));
    rest = rest.substr(0, mark);
  }
  std::string_view database;
  bool has_database = false;
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    database = rest.substr(slash + 1);
    has_database = !database.empty();
    rest = rest.substr(0, slash);
  }
  std::string_view port;
  bool has_port = false;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return usage("the [ of an IPv6 address is not closed");
    url.host = rest.substr(1, close - 1);
    const std::string_view after = rest.substr(close + 1);
    if (!after.empty() && !after.starts_with(':')) return usage(kvantage::quoted(after) + " follows the address");
    has_port = !after.empty();
    if (has_port) port = after.substr(1);
  } else {
    const std::size_t colon = rest.find(':');
    if (colon != std::string_view::npos && rest.find(':', colon + 1) != std::string_view::npos)
      return usage("an IPv6 address is written in brackets, like redis://[::1]:6379");
    url.host = rest.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = rest.substr(colon + 1);
  }
  const auto odd = [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '?' || c == '#'; };
  constexpr std::size_t max_host_bytes = 253;
  if (url.host.empty()) return usage("no host");
  if (url.host.size() > max_host_bytes) return usage(kvantage::quoted(url.host) + " is too long for a host name");
  if (std::any_of(url.host.begin(), url.host.end(), odd))
    return usage(kvantage::quoted(url.host) + " is not a host name");
  if (has_port) {
    const auto number = whole_number(port, 65535);
    if (!number || *number == 0)
      return usage(kvantage::quoted(port) + " is not a port", "give one from 1 to 65535, like 6379");
    url.port = *number;
  }
  if (has_database) {
    const auto number = whole_number(database, 1 << 20);
    if (!number) return usage(kvantage::quoted(database) + " is not a database", "give its number, like /0");
    url.database = *number;
  }
  return url;
}

}  // namespace kvantage::inline remote
