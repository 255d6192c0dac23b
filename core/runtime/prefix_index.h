// Finds the longest known context that is a prefix of a request's tokens, so that a growing conversation hits the cache
// of its previous turn. Only whole contexts are entries: a prefix of a compressed cache is unusable.
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
  /// compared, not only digests.
  std::optional<Hit> longest(std::span<const std::int32_t> tokens,
                             const std::function<bool(const Digest128&)>& usable) const;

 private:
  struct Entry {
    Digest128 key;
    std::span<const std::int32_t> tokens;
  };
  // By length, then by token digest: a lookup computes one digest per distinct length up to the request's.
  std::map<std::size_t, std::unordered_map<Digest128, Entry>, std::greater<>> by_length_;
};

}  // namespace kvantage::inline runtime
