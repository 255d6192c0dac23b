// Requests to the server of a bucket. libcurl sends, signs (AWS Signature Version 4) and verifies certificates; the
// limits are ours. The server is untrusted: a reply is as long as its reader allows, its headers 64 KiB, and each
// request ends in time, however slowly the server sends. No redirect is followed, no proxy, no netrc and no protocol
// but the endpoint's is used.
//
// Not thread-safe: one per thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "tiers/s3/s3_credentials.h"

namespace kvantage::inline s3 {

struct S3Timeouts {
  double connect_seconds = 2;
  double answer_seconds = 5;  // without a byte in either direction
};

struct S3Reply {
  long status = 0;
  std::string etag;           // bare
  std::string content_range;  // "bytes 0-9/20"
  std::string region;         // x-amz-bucket-region
  std::string body;           // of a success without a sink, and of any error
  bool is_success() const { return status >= 200 && status < 300; }
};

struct S3Request {
  std::string method = "GET";
  std::string path = {};                  // from the bucket on, escaped, without the first slash
  std::string query = {};                 // escaped, sorted by name
  std::vector<std::string> headers = {};  // "name: value", which are signed; none of them empty
  std::vector<std::span<const std::byte>> body = {};
  std::uint64_t max_reply_bytes = std::uint64_t{64} << 10;
  /// Takes the bytes of a reply of status 206; false: no more of them.
  std::function<bool(const S3Reply& head, std::span<const std::byte> bytes)> sink = {};
};

class S3Client {
 public:
  virtual ~S3Client() = default;
  /// Replies in the order of the requests, of which at most eight are in flight. The first error ends them all: io:
  /// not reachable, out of time, aborted, longer than allowed; rejected_input: its certificate is not trusted;
  /// cancelled. Replies with the status of an error are no errors here. The server's address is in the message.
  virtual Expected<std::vector<S3Reply>> exchange_all(std::span<const S3Request> requests, const GiveUp& give_up) = 0;

  /// One of them.
  Expected<S3Reply> exchange(const S3Request& request, const GiveUp& give_up) {
    KV_ASSIGN(auto replies, exchange_all({&request, 1}, give_up));
    return std::move(replies.front());
  }
};

struct S3Access {
  S3Url url;
  S3Keys keys;
  S3Timeouts timeouts = {};
};

/// Whether this program was built with libcurl and expat.
bool has_s3();

/// Connects with the first request. rejected_input: this program was built without S3. `clock` outlives it.
Expected<std::unique_ptr<S3Client>> make_s3_client(const S3Access& access, const Clock& clock);

}  // namespace kvantage::inline s3
