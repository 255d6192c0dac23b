// What a server's refusal means for the user.
#pragma once

#include <string>

#include "core/base/error.h"
#include "tiers/s3/s3_client.h"

namespace kvantage::inline s3 {

/// "s3://BUCKET/PREFIX at HOST:PORT: WHAT: 403 AccessDenied: Access Denied", of a reply that is no success.
/// unauthorized, behind "refused: credentials: ", where the server does not accept the keys, or what they ask for;
/// rejected_input where another try will not help either (bucket, region, redirects); no_space; else io.
Error refusal_of(const S3Url& url, const S3Reply& reply, const std::string& what);
/// "501 NotImplemented: MESSAGE"
std::string refusal_text(const S3Reply& reply);
/// Whether a request failed because the server does not know one of its headers, such as a condition.
bool lacks_header(const S3Reply& reply);
/// Whether an object is not there; false where its bucket is not.
bool is_absent(const S3Reply& reply);

}  // namespace kvantage::inline s3
