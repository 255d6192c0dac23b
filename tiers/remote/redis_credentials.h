// Passwords of Redis servers, each bound to its host, so that a url from somewhere else carries none of them away.
#pragma once

#include <filesystem>
#include <string>

#include "tiers/remote/redis_url.h"
#include "tiers/server_access.h"

namespace kvantage {

/// $XDG_CONFIG_HOME/kvantage/credentials or ~/.config/kvantage/credentials; empty where neither is set. A line:
///   redis://[user@]host[:port] PASSWORD
/// rediss:// instead keeps the password from connections without TLS. Lines that begin with # are comments.
std::filesystem::path credentials_file();

/// KVANTAGE_REDIS_PASSWORD_HOST: the host in upper case, everything else than letters and digits as _.
std::string password_variable(const std::string& host);

/// `url` with the password of its host where it has none: from password_variable(), else from credentials_file(), else
/// for a user's own url from KVANTAGE_REDIS_PASSWORD. rejected_input: the file is not the user's alone (mode 0600), too
/// large or not as described; the message never holds a password.
Expected<RedisUrl> with_credentials(RedisUrl url, UrlSource source);

/// Where the password of this host goes, for messages.
std::string credentials_help(const RedisUrl& url);

}  // namespace kvantage
