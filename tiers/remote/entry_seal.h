// Seals of entries on a shared server: without the key, nobody can make an entry that a reader with the key accepts,
// nor pass one off as another. A seal follows the store header in `headers`, little-endian:
//
//   0 magic "KVSEAL01"   8 version u32   12 block bytes u32   16 tag   48 SHA-256 of each block of the entry, in order
//
// The tag is HMAC-SHA-256 under the key of: "kvantage entry seal", the length (u64) and text of the store's place, the
// store header (key, lengths, sequence, label), the first 16 bytes of the seal, the digests of the blocks. A block is
// verified by its own digest, so that an extent needs its blocks and no others.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tiers/store_header.h"

namespace kvantage::inline remote {

inline constexpr std::uint64_t seal_block_bytes = std::uint64_t{64} << 10;
inline constexpr std::uint32_t seal_version = 1;
using BlockDigest = std::array<std::byte, 32>;

/// Zeros if the library fails, which nobody accepts.
BlockDigest block_digest(std::span<const std::byte> block);

/// What a seal says of an entry's bytes.
struct EntrySeal {
  std::vector<BlockDigest> blocks;
  /// Its length behind the store header.
  std::size_t bytes() const;
  bool operator==(const EntrySeal&) const = default;
};

/// Of these bytes, all of which are hashed.
EntrySeal seal_of(std::span<const std::byte> entry);

class SealKey {
 public:
  explicit SealKey(const BlockDigest& key) : key_(key) {}
  /// From a file of mode 0600 with 64 hexadecimal digits and nothing else, so that no other secret becomes a key by
  /// mistake. rejected_input otherwise; the message has nothing of its content.
  static Expected<std::shared_ptr<const SealKey>> read(const std::filesystem::path& path);

  /// What follows the encoded store header `header`. `place`: which store, RedisKeys::base.
  std::vector<std::byte> encode(const std::string& place, std::span<const std::byte> header,
                                const EntrySeal& seal) const;
  /// What encode() wrote; nothing if it is of another key, place, header or length.
  std::optional<EntrySeal> decode(const std::string& place, std::span<const std::byte> header,
                                  std::span<const std::byte> bytes, std::uint64_t entry_bytes) const;

 private:
  BlockDigest tag_of(const std::string& place, std::span<const std::byte> header,
                     std::span<const std::byte> seal) const;

  BlockDigest key_;
};

/// A value of `headers` as a store with a key, or without one, reads it.
struct SealedHeader {
  StoreHeader header;
  std::shared_ptr<const EntrySeal> seal;  // null in a store without a key
  bool usable = true;                     // false: without a seal of the key, or sealed and the store has no key
};

/// `key` null: the store has none. Errors as decode_store_header().
Expected<SealedHeader> decode_sealed_header(std::span<const std::byte> value, const SealKey* key,
                                            const std::string& place);

}  // namespace kvantage::inline remote
