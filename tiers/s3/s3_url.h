// URL of a bucket: s3://BUCKET[/PREFIX][?endpoint=https://HOST[:PORT]&region=REGION&addressing_style=path|virtual], as
// the AWS command line writes buckets and names endpoints. It holds no keys: tiers/s3/s3_credentials.h.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::inline s3 {

/// Where a bucket is in the address of a request.
enum class S3Addressing { automatic, path, host };

/// What a url without these parameters means.
struct S3Defaults {
  std::string endpoint;  // "https://HOST[:PORT]"; empty: Amazon's of the region
  std::string region;    // empty: us-east-1
};

struct S3Url {
  std::string bucket;
  std::string prefix;  // of its keys, without slashes at the ends
  std::string host;    // of the endpoint
  int port = 443;
  bool tls = true;
  std::string region;
  S3Addressing addressing = S3Addressing::automatic;
  std::string authorities = {};  // PEM file of CAs for the server's certificate; empty: the system's

  /// Whether the endpoint is Amazon's of the region.
  bool is_amazon() const;
  /// Whether the bucket is part of the host name: where the url says so, and at Amazon unless a dot in its name would
  /// not fit the certificate.
  bool bucket_in_host() const;
  /// The host that requests go to.
  std::string server_host() const { return bucket_in_host() ? bucket + "." + host : host; }
  /// "https://HOST[:PORT]" of requests, without a path.
  std::string origin() const;
  /// "s3://BUCKET/PREFIX at HOST:PORT", for messages.
  std::string address() const;
  /// The url with endpoint and region written out, without the file of CAs. parse_s3_url reads it back.
  std::string shown() const;
  bool operator==(const S3Url&) const = default;
};

/// Whether a url is one of a bucket, right or wrong.
bool is_s3_url(std::string_view text);

/// usage error: names the wrong part and how to fix it, and contains nothing from before an @.
Expected<S3Url> parse_s3_url(std::string_view text, const S3Defaults& defaults);

}  // namespace kvantage::inline s3
