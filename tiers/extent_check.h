// Verification before a tier returns bytes: checksums of the caller's pieces and of the store's own header.
#pragma once

#include <span>

#include "tiers/store_header.h"

namespace kvantage::inline tiers {

/// Verifies `bytes`, read for `extent`, by the store's own checksums: at the start of an entry that of its header and,
/// if the caller gave no pieces, that of the whole entry.
bool stored_sums_match(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header);

/// Whether `bytes`, read for `extent`, are those that were written: checks the caller's pieces and stored_sums_match().
bool extent_is_intact(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header);

}  // namespace kvantage::inline tiers
