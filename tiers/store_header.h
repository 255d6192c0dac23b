// Precedes an entry in its file: enough to rebuild the index from the files alone. Little-endian, padded to 4 KiB:
//
//   0 magic "KVSTORE1"   8 version u32      12 length of this header u32   16 key (high, low) 2 x u64
//  32 entry bytes u64   40 its header u64   48 XXH3 of the whole entry     56 XXH3 of its header
//  64 sequence u64      72 label bytes u32  76 zero u32                    80 label, zeros
//  last 8 bytes: XXH3 of everything before
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage::inline tiers {

inline constexpr std::uint32_t store_format_version = 1;
inline constexpr std::size_t max_label_bytes = std::size_t{1} << 20;

struct StoreHeader {
  EntryInfo info;
  std::uint64_t sequence = 0;         // increases with each version of a key
  std::uint64_t entry_checksum = 0;   // XXH3 of all info.bytes
  std::uint64_t header_checksum = 0;  // XXH3 of the first info.header_bytes
};

/// Padded length of the header of an entry with this label.
std::size_t store_header_bytes(std::size_t label_bytes);
/// A multiple of 4 KiB. The label is at most max_label_bytes long.
std::vector<std::byte> encode_store_header(const StoreHeader& header);

/// Whether these lengths can belong to an entry; a checksum does not stop forgery.
bool plausible(const StoreHeader& header);
/// Length of the header from its first 4 KiB; corrupt for anything else.
Expected<std::size_t> peek_store_header(std::span<const std::byte> first_page);
/// Decodes a complete header; corrupt when checksum or lengths do not match, rejected_input for another program
/// version's. Never uses an unchecked length.
Expected<StoreHeader> decode_store_header(std::span<const std::byte> bytes);

}  // namespace kvantage::inline tiers
