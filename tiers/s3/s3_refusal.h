// What a server's refusal means for the user.
#pragma once

#include <string>

#include "core/base/error.h"
#include "tiers/s3/s3_client.h"

namespace kvantage::inline s3 {

/// "s3://BUCKET/PREFIX at HOST:PORT: WHAT: 403 AccessDenied: Access Denied", of a reply that is no success.
/// rejected_input where another try will not help (keys, bucket, region, redirects), no_space, else io.
Error refusal_of(const S3Url& url, const S3Reply& reply, const std::string& what);

}  // namespace kvantage::inline s3
