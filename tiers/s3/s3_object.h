// The beginning of objects: store header and seal, which say what an object holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tiers/s3/s3_client.h"
#include "tiers/s3/s3_entry.h"
#include "tiers/s3/s3_names.h"

namespace kvantage::inline s3 {

/// Bytes of an object, [begin, end).
struct S3Range {
  std::uint64_t begin = 0, end = 0;
  /// "bytes=0-9"
  std::string text() const;
  /// Whether a Content-Range says that these bytes come, of an object of `object_bytes`.
  bool is_of(const std::string& content_range, std::uint64_t object_bytes) const;
};

struct FoundObject {
  enum class State {
    usable,
    unsealed,  // without a seal of the key, or sealed and there is no key
    foreign,   // no entry of a store, or of another key
    absent
  };
  State state = State::absent;
  S3Object object = {};  // foreign, unsealed: with its ETag alone
};

class S3ObjectReader {
 public:
  /// All outlive this; `key` null: there is none.
  S3ObjectReader(S3Client& client, const S3Url& url, const S3Names& names, const SealKey* key)
      : client_(client), url_(url), names_(names), key_(key) {}

  /// In the order of `keys`. Errors as S3Client::exchange_all() and refusal_of().
  Expected<std::vector<FoundObject>> read(std::span<const Digest128> keys, const GiveUp& give_up) const;

 private:
  /// Its first bytes, and how many it has in all.
  struct Head {
    S3Reply reply;
    std::uint64_t object_bytes = 0;
  };
  S3Request request_for(const Digest128& key, std::uint64_t bytes, const std::string& etag) const;
  Expected<Head> head_of(S3Reply reply, std::uint64_t asked) const;
  std::uint64_t needed_bytes(const Head& head) const;
  FoundObject decoded(const Digest128& key, const Head& head) const;

  S3Client& client_;
  const S3Url& url_;
  const S3Names& names_;
  const SealKey* key_;
};

}  // namespace kvantage::inline s3
