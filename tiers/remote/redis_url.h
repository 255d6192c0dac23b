// URL of a remote store: one server, a Redis Cluster, or a server behind Sentinels.
//
//   redis://[user[:password]@]host[:port][/db]
//   redis-cluster://[user[:password]@]host[:port],host[:port],...
//   redis-sentinel://[user[:password]@]host[:port],host[:port],.../NAME[/db]    NAME: of the server, as Sentinels know
//   it
//
// rediss..:// instead is TLS. Parameters: ?ca=FILE if the system's CAs do not cover the server's certificate, and, of a
// cluster or Sentinels, hosts=HOST+HOST: further hosts that those may name. KVantage connects to no other host than the
// url names. The password is kept out of everything displayed: nothing here prints it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline remote {

struct RedisAddress {
  std::string host;
  int port = 0;
  /// "host:port", with brackets around an IPv6 address.
  std::string shown() const;
  auto operator<=>(const RedisAddress&) const = default;
};

enum class RedisKind : std::uint8_t { server, cluster, sentinel };

/// What a url names beyond one server.
struct RedisDeployment {
  RedisKind kind = RedisKind::server;
  std::vector<RedisAddress> more;  // nodes or Sentinels after the first
  std::vector<std::string> hosts;  // of hosts=
  std::string master;              // NAME, of Sentinels
  bool operator==(const RedisDeployment&) const = default;
};

struct RedisUrl {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user;      // empty: the server's default user
  std::string password;  // empty: none
  bool tls = false;
  std::string authorities;  // PEM file of CAs for the server's certificate; empty: the system's
  RedisDeployment deployment;

  /// As written, with the user if given, never the password or the file of CAs: for messages, and for settings that
  /// others may read. parse_redis_url reads it back.
  std::string shown() const;
  /// All addresses that it names.
  std::vector<RedisAddress> addresses() const;
  /// Whether it names this host: compared as text, a name and its address are two hosts.
  bool names_host(std::string_view host) const;
  bool operator==(const RedisUrl&) const = default;
};

/// Parses a URL; users and passwords may contain %-escapes (a comma is %2C, an @ is %40). The error names the wrong
/// part and how to fix it, and contains nothing from before the @.
Expected<RedisUrl> parse_redis_url(std::string_view text);

/// Whether `text` may be a host: up to 253 bytes, none of them a space, a control character, ?, # or a comma.
bool is_host_name(std::string_view text);

/// `text` with everything between "//" and the last @ replaced by "***": safe for messages, whatever the input.
std::string without_credentials(std::string_view text);

/// `text` with what follows the ? of each url in it, up to the next comma, replaced by "...": for messages.
std::string without_parameters(std::string text);

/// A host in comparison form: lower case, without a trailing dot.
std::string host_key(std::string_view host);

inline constexpr const char* redis_password_variable = "KVANTAGE_REDIS_PASSWORD";

}  // namespace kvantage::inline remote
