// URL of a remote store: redis://[user:password@]host:port[/db], or rediss:// for TLS, with ?ca=FILE if the system's
// CAs do not cover the server's certificate. The password is kept out of everything displayed: nothing here prints it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline remote {

struct RedisUrl {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string user;      // empty: the server's default user
  std::string password;  // empty: none
  bool tls = false;
  std::string authorities;  // PEM file of CAs for the server's certificate; empty: the system's

  /// "redis://host:port/db", with the user if given, never the password or the file of CAs: for messages, and for
  /// settings that others may read. parse_redis_url reads it back.
  std::string shown() const;
  bool operator==(const RedisUrl&) const = default;
};

/// Parses a URL; users and passwords may contain %-escapes (a comma is %2C, an @ is %40). The error names the wrong
/// part and how to fix it, and contains nothing from before the @.
Expected<RedisUrl> parse_redis_url(std::string_view text);

/// `text` with everything between "//" and the last @ replaced by "***": safe for messages, whatever the input.
std::string without_credentials(std::string_view text);

/// `text` with what follows the ? of each url in it, up to the next comma, replaced by "...": for messages.
std::string without_parameters(std::string text);

/// A host in comparison form: lower case, without a trailing dot.
std::string host_key(std::string_view host);

inline constexpr const char* redis_password_variable = "KVANTAGE_REDIS_PASSWORD";

}  // namespace kvantage::inline remote
