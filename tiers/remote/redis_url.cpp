#include "tiers/remote/redis_url.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "tiers/url_text.h"

namespace kvantage::inline remote {
namespace {

struct UrlScheme {
  std::string_view text;
  RedisKind kind;
  bool tls;
  const char* right_form;
};
constexpr const char* server_form = "write url=redis://[user:password@]host:port[/db]";
constexpr const char* cluster_form = "write url=redis-cluster://[user:password@]host:port,host:port";
constexpr const char* sentinel_form = "write url=redis-sentinel://[user:password@]host:port,host:port/NAME[/db]";
constexpr UrlScheme schemes[] = {{"redis://", RedisKind::server, false, server_form},
                                 {"rediss://", RedisKind::server, true, server_form},
                                 {"redis-cluster://", RedisKind::cluster, false, cluster_form},
                                 {"rediss-cluster://", RedisKind::cluster, true, cluster_form},
                                 {"redis-sentinel://", RedisKind::sentinel, false, sentinel_form},
                                 {"rediss-sentinel://", RedisKind::sentinel, true, sentinel_form}};
constexpr std::size_t max_addresses = 64;
constexpr std::size_t max_host_bytes = 253;
constexpr int default_server_port = 6379, default_sentinel_port = 26379;

tl::unexpected<Error> usage(const std::string& reason, const std::string& mend = server_form) {
  return fail(ErrorCode::usage, "url: " + reason + "; " + mend);
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

std::vector<std::string_view> split_at(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(mark, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// What follows the question mark: "ca=FILE", "hosts=HOST+HOST", or both with an & between them.
Status read_parameters(std::string_view text, RedisUrl& url) {
  constexpr std::string_view ca = "ca=", hosts = "hosts=";
  const bool alone = url.deployment.kind == RedisKind::server;
  for (const std::string_view part : split_at(text, '&')) {
    if (part.starts_with(hosts) && !alone) {
      for (const std::string_view host : split_at(part.substr(hosts.size()), '+')) {
        if (!is_host_name(host)) return usage("hosts= holds no list of hosts", "write ?hosts=HOST+HOST");
        if (url.deployment.hosts.size() == max_addresses) return usage("hosts= holds more than 64 hosts");
        url.deployment.hosts.emplace_back(host);
      }
      continue;
    }
    if (!part.starts_with(ca))
      return usage("what follows the ? is not a parameter",
                   alone ? "the only one is ?ca=FILE, a PEM file of certificates"
                         : "those are ca=FILE, a PEM file of certificates, and hosts=HOST+HOST");
    const auto file = percent_decoded(part.substr(ca.size()));
    if (!file || file->empty()) return usage("ca= names no file", "write ?ca=FILE, and a plain % in it as %25");
    if (!url.tls) return usage("ca= belongs to TLS", "write rediss:// or leave it out");
    url.authorities = *file;
  }
  return {};
}

// Without the account: HOST[:PORT], with brackets around an IPv6 address.
Expected<RedisAddress> read_address(std::string_view text, int default_port) {
  RedisAddress address{{}, default_port};
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return usage("the [ of an IPv6 address is not closed");
    address.host = text.substr(1, close - 1);
    const std::string_view after = text.substr(close + 1);
    if (!after.empty() && !after.starts_with(':')) return usage(quoted_part(after) + " follows the address");
    has_port = !after.empty();
    if (has_port) port = after.substr(1);
  } else {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos)
      return usage("an IPv6 address is written in brackets, like redis://[::1]:6379");
    address.host = text.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = text.substr(colon + 1);
  }
  if (address.host.empty()) return usage("no host");
  if (address.host.size() > max_host_bytes) return usage(quoted_part(address.host) + " is too long for a host name");
  if (!is_host_name(address.host)) return usage(quoted_part(address.host) + " is not a host name");
  if (!has_port) return address;
  const auto number = number_within(port, 1, 65535);
  if (!number) return usage(quoted_part(port) + " is not a port", "give one from 1 to 65535, like 6379");
  address.port = *number;
  return address;
}

Status read_account(std::string_view account, RedisUrl& url) {
  const std::size_t colon = account.find(':');
  const auto user = percent_decoded(account.substr(0, colon));
  const auto password =
      colon == std::string_view::npos ? std::optional<std::string>("") : percent_decoded(account.substr(colon + 1));
  if (!user || !password)
    return usage("a % before the @ is not followed by two hexadecimal digits", "write a plain % as %25");
  url.user = *user;
  url.password = *password;
  return {};
}

// What follows the first slash: the database, of Sentinels after the name of the server.
Status read_path(std::string_view path, RedisUrl& url) {
  if (url.deployment.kind == RedisKind::sentinel) {
    const std::size_t slash = path.find('/');
    const auto name = percent_decoded(path.substr(0, slash));
    constexpr std::size_t max_name_bytes = 100;
    if (!name || name->empty() || name->size() > max_name_bytes)
      return usage("it does not say which server the Sentinels watch", sentinel_form);
    url.deployment.master = *name;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  if (path.empty()) return {};
  const auto number = number_within(path, 0, 1 << 20);
  if (!number) return usage(quoted_part(path) + " is not a database", "give its number, like /0");
  if (url.deployment.kind == RedisKind::cluster && *number != 0)
    return usage("a cluster has only database 0", "leave the /" + std::to_string(*number) + " out");
  url.database = *number;
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
  // The hosts of a cluster are separated by commas too: only one that an option follows ends its url.
  const auto end_of_url = [&text](std::size_t at) {
    for (std::size_t comma = text.find(',', at); comma != std::string::npos; comma = text.find(',', comma + 1)) {
      const std::string_view next = std::string_view(text).substr(comma + 1);
      if (next.substr(0, next.find_first_of(",?")).find('=') != std::string_view::npos || text.find('?', at) < comma)
        return comma;
    }
    return text.size();
  };
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t end = end_of_url(at), mark = text.find('?', at);
    if (mark < end) text.replace(mark, end - mark, left_out);
  }
  return text;
}

bool is_host_name(std::string_view text) {
  const auto odd = [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '?' || c == '#' || c == ','; };
  return !text.empty() && text.size() <= max_host_bytes && std::ranges::none_of(text, odd);
}

std::string RedisAddress::shown() const {
  const bool bare_v6 = host.find(':') != std::string::npos;
  return (bare_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string RedisUrl::shown() const {
  const auto scheme = std::ranges::find_if(
      schemes, [this](const UrlScheme& one) { return one.kind == deployment.kind && one.tls == tls; });
  std::string text(scheme->text);
  if (!user.empty()) text += escaped(user, "@,:/%?") + "@";
  text += RedisAddress{host, port}.shown();
  for (const RedisAddress& other : deployment.more) text += "," + other.shown();
  if (deployment.kind == RedisKind::sentinel) text += "/" + escaped(deployment.master, "@,:/%?=");
  if (database != 0) text += "/" + std::to_string(database);
  for (std::size_t i = 0; i < deployment.hosts.size(); ++i) text += (i == 0 ? "?hosts=" : "+") + deployment.hosts[i];
  return text;
}

std::vector<RedisAddress> RedisUrl::addresses() const {
  std::vector<RedisAddress> all{{host, port}};
  all.insert(all.end(), deployment.more.begin(), deployment.more.end());
  return all;
}

bool RedisUrl::names_host(std::string_view wanted) const {
  const std::string key = host_key(wanted);
  const auto is_it = [&key](const std::string& name) { return host_key(name) == key; };
  return is_it(host) || std::ranges::any_of(deployment.hosts, is_it) ||
         std::ranges::any_of(deployment.more, [&is_it](const RedisAddress& other) { return is_it(other.host); });
}

Expected<RedisUrl> parse_redis_url(std::string_view text) {
  if (text.starts_with("valkey://") || text.starts_with("tcp://"))
    return usage("write this address with redis:// (also for Valkey)");
  const auto* const scheme =
      std::ranges::find_if(schemes, [text](const UrlScheme& one) { return text.starts_with(one.text); });
  if (scheme == std::end(schemes)) {
    const std::size_t end = text.find("://");
    if (text.empty()) return usage("it is empty");
    if (end != std::string_view::npos && text.find('@') > end)
      return usage(quoted_part(text.substr(0, end + 3)) + " is not the address of a Redis server");
    return usage("it does not begin with redis://");
  }
  std::string_view rest = text.substr(scheme->text.size());
  RedisUrl url;
  url.tls = scheme->tls;
  url.deployment.kind = scheme->kind;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    KV_TRY(read_account(rest.substr(0, at), url));
    rest.remove_prefix(at + 1);
  }
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    KV_TRY(read_parameters(rest.substr(mark + 1), url));
    rest = rest.substr(0, mark);
  }
  const std::size_t slash = rest.find('/');
  const std::string_view path = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  rest = rest.substr(0, slash);
  const bool alone = scheme->kind == RedisKind::server;
  const int default_port = scheme->kind == RedisKind::sentinel ? default_sentinel_port : default_server_port;
  std::vector<RedisAddress> addresses;
  for (const std::string_view part : alone ? std::vector{rest} : split_at(rest, ',')) {
    if (addresses.size() == max_addresses) return usage("it names more than 64 servers", scheme->right_form);
    KV_ASSIGN(addresses.emplace_back(), read_address(part, default_port));
  }
  url.host = addresses.front().host;
  url.port = addresses.front().port;
  url.deployment.more.assign(addresses.begin() + 1, addresses.end());
  KV_TRY(read_path(path, url));
  return url;
}

}  // namespace kvantage::inline remote
