// What a tier compares before it hands bytes out: the sums of the caller's pieces and those of the store's own header.
#pragma once

#include <span>

#include "tiers/store_header.h"

namespace kvantage {

/// What the store itself knows of `bytes`, read for `extent`: at the start of an entry the sum of its header and, where
/// the caller gave no pieces, of the whole entry.
bool stored_sums_match(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header);

/// Whether `bytes`, read for `extent`, are those that were written: every piece the caller gave, and
/// stored_sums_match().
bool extent_is_intact(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header);

}  // namespace kvantage
