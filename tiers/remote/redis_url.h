// Where a remote store is, as users write it: redis://[user:password@]host:port[/db], or rediss:// for TLS, with
// ?ca=FILE where the system's authorities do not know the server's certificate. A password is kept apart from
// everything that is shown: nothing here prints it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

struct RedisUrl {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user;      // empty: the server's default user
  std::string password;  // empty: none
  bool tls = false;
  std::string authorities;  // PEM file of those who may sign the server's certificate; empty: the system's

  /// "redis://host:port/db", the user where one is given, never the password. parse_redis_url reads it back.
  std::string shown() const;
  bool operator==(const RedisUrl&) const = default;
};

/// Reads a URL; users and passwords may hold %-escapes (a comma is %2C, an @ is %40). The error names the part that is
/// wrong and how to mend it, and holds nothing of what stands before the @.
Expected<RedisUrl> parse_redis_url(std::string_view text);

/// `text` with everything between "//" and the last @ replaced by "***": fit for messages, whatever was written.
std::string without_credentials(std::string_view text);

/// A host as it is compared: lower case, without the dot that ends a full name.
std::string host_key(std::string_view host);

inline constexpr const char* redis_password_variable = "KVANTAGE_REDIS_PASSWORD";

}  // namespace kvantage
