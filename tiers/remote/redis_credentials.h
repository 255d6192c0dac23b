// Passwords of Redis servers, each bound to its host, so that an untrusted url never obtains another host's password.
#pragma once

#include <filesystem>
#include <string>

#include "tiers/remote/redis_url.h"
#include "tiers/server_access.h"

namespace kvantage::inline remote {

/// $XDG_CONFIG_HOME/kvantage/credentials or ~/.config/kvantage/credentials; empty where neither is an absolute path.
/// Line format:
///   redis://[user@]host[:port] PASSWORD
/// rediss:// instead restricts the password to TLS connections. Lines that start with # are comments.
std::filesystem::path credentials_file();

/// KVANTAGE_REDIS_PASSWORD_HOST: the host in upper case, with _ for everything except letters and digits.
std::string password_variable(const std::string& host);

/// `url` with its host's password if it has none: from password_variable(), else from credentials_file(), else for a
/// user's own url from KVANTAGE_REDIS_PASSWORD. rejected_input: the file is not private to the user (mode 0600), too
/// large or malformed; the message never contains a password.
Expected<RedisUrl> with_credentials(RedisUrl url, UrlSource source);

/// Where to put the password of this host, for messages.
std::string credentials_help(const RedisUrl& url);

}  // namespace kvantage::inline remote
