// Finds the longest known context that is a prefix of a request's tokens: a growing session hits the cache of its
// earlier turn. Only whole contexts are entries; a compressed cache has no prefixes of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/digest.h"

namespace kvantage::inline runtime {

class PrefixIndex {
 public:
  /// Registers a context's tokens under its key; `tokens` must outlive the index.
  void insert(const Digest128& key, std::span<const std::int32_t> tokens);

  struct Hit {
    Digest128 key;
    std::size_t tokens = 0;  // length of the prefix
  };
  /// Longest entry that is a prefix of (or equal to) `tokens` and for which `usable(key)` holds. Token ids are
  /// compared, not digests alone.
  std::optional<Hit> longest(std::span<const std::int32_t> tokens,
                             const std::function<bool(const Digest128&)>& usable) const;

 private:
  struct Entry {
    Digest128 key;
    std::span<const std::int32_t> tokens;
  };
  // By length, then by digest of the tokens: a lookup digests the request once per distinct length not above its own.
  std::map<std::size_t, std::unordered_map<Digest128, Entry>, std::greater<>> by_length_;
};

}  // namespace kvantage::inline runtime
