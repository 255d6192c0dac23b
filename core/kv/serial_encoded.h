// Encoded layers: one pair of extents for the whole layer, chunk 0 of each kind.
//
//   keys:   for each KV head a bitmap of the kept positions of the whole context, then for each head
//           [u32 length][the codec's bytes]
//   values: for each head [u32 length][the codec's bytes]
#pragma once

#include "core/kv/encoded_rows.h"
#include "core/kv/serial_layout.h"

namespace kvantage::serial {

inline constexpr std::uint8_t encoded = 1;  // Extent::codec: encoded by EntryHeader::codec
inline constexpr std::size_t length_bytes = sizeof(std::uint32_t);
inline constexpr std::size_t max_codec_text_bytes = 256;

inline std::size_t encoded_bitmap_bytes(std::size_t tokens) { return (tokens + 7) / 8; }
/// Overhead of an encoded layer: bitmaps, and a length for each head and kind.
inline std::size_t encoded_frame_bytes(const KvShape& shape, std::size_t tokens) {
  return static_cast<std::size_t>(shape.kv_heads) * (encoded_bitmap_bytes(tokens) + 2 * length_bytes);
}

/// Original positions of the set bits; bit 0 is first_position. False when one is not below `tokens`.
bool read_bitmap(std::span<const std::byte> bitmap, std::size_t first_position, std::size_t tokens,
                 std::vector<std::int32_t>& positions);

/// An encoded layer taken apart: views of its bytes. Nothing is decoded.
struct EncodedLayer {
  std::vector<std::vector<std::int32_t>> positions;      // [kv_heads][kept]
  std::vector<std::span<const std::byte>> keys, values;  // [kv_heads], as encoded
};

/// A layer in encoded form, without positions.
Expected<std::vector<EncodedRows::Head>> take_encoded_layer(const EntryHeader& header, int layer,
                                                            std::span<const std::byte> keys,
                                                            std::span<const std::byte> values);

/// Appends one layer's extents to `entry`, starting at a 4 KiB boundary.
Status write_encoded_layer(const KvCache& cache, int layer, std::size_t tokens, const Codec& codec,
                           std::vector<std::byte>& entry, std::vector<Extent>& extents);
/// Parses a pair of extents. corrupt when lengths or positions do not match.
Expected<EncodedLayer> split_encoded_layer(const EntryHeader& header, int layer, std::span<const std::byte> keys,
                                           std::span<const std::byte> values);

}  // namespace kvantage::serial
