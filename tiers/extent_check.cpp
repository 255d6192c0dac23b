#include "tiers/extent_check.h"

namespace kvantage::inline tiers {

bool stored_sums_match(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header) {
  if (extent.offset != 0) return true;
  if (extent.pieces.empty() && extent.bytes == header.info.bytes) return checksum_of(bytes) == header.entry_checksum;
  if (extent.bytes >= header.info.header_bytes)
    return checksum_of(bytes.first(header.info.header_bytes)) == header.header_checksum;
  return true;
}

bool extent_is_intact(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header) {
  for (const ReadExtent::Piece& piece : extent.pieces)
    if (checksum_of(bytes.subspan(piece.offset - extent.offset, piece.bytes)) != piece.checksum) return false;
  return stored_sums_match(extent, bytes, header);
}

}  // namespace kvantage::inline tiers
