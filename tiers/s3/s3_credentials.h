// Keys for buckets, each bound to its bucket and server, so that an untrusted url never obtains another server's keys.
// A request carries a signature made with the secret key, never that key itself.
#pragma once

#include <filesystem>
#include <string>

#include "tiers/s3/s3_url.h"
#include "tiers/server_access.h"

namespace kvantage::inline s3 {

struct S3Keys {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token = {};  // of temporary keys; sent as it is
};

/// AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL; AWS_REGION, else AWS_DEFAULT_REGION: of a url that names none.
S3Defaults s3_defaults();

/// $XDG_CONFIG_HOME/kvantage/s3_keys or ~/.config/kvantage/s3_keys; empty where neither is set. Line format:
///   s3://BUCKET[?endpoint=https://HOST:PORT] ACCESS_KEY_ID SECRET_ACCESS_KEY [SESSION_TOKEN]
/// Without an endpoint: at Amazon, in any region. Lines that start with # are comments.
std::filesystem::path s3_keys_file();

/// From s3_keys_file(), else for a user's own url from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
/// rejected_input: there are none, or the file is not private to the user (mode 0600), too large or malformed; the
/// message never contains a key.
Expected<S3Keys> s3_keys_for(const S3Url& url, UrlSource source);

}  // namespace kvantage::inline s3
