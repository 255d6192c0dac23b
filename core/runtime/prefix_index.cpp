#include "core/runtime/prefix_index.h"

#include <algorithm>

namespace kvantage::inline runtime {

void PrefixIndex::insert(const Digest128& key, std::span<const std::int32_t> tokens) {
  by_length_[tokens.size()].insert_or_assign(digest_of(std::as_bytes(tokens)), Entry{key, tokens});
}

std::optional<PrefixIndex::Hit> PrefixIndex::longest(std::span<const std::int32_t> tokens,
                                                     const std::function<bool(const Digest128&)>& usable) const {
  for (auto length = by_length_.lower_bound(tokens.size()); length != by_length_.end(); ++length) {
    const auto prefix = tokens.first(length->first);
    const auto found = length->second.find(digest_of(std::as_bytes(prefix)));
    if (found == length->second.end() || !usable(found->second.key)) continue;
    if (std::ranges::equal(found->second.tokens, prefix)) return Hit{found->second.key, length->first};
  }
  return std::nullopt;
}

}  // namespace kvantage::inline runtime
