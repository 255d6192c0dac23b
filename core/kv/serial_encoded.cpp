#include "core/kv/serial_encoded.h"

#include <bit>
#include <string>

namespace kvantage::serial {
namespace {

tl::unexpected<Error> broken(int layer, const std::string& what) {
  return fail(ErrorCode::corrupt,
              "cache entry: layer " + std::to_string(layer) + ": " + what + "; the entry is dropped and recomputed");
}

Status write_head(const CodecRows& rows, const Codec& codec, std::span<const std::byte> data,
                  std::vector<std::byte>& entry) {
  const std::size_t at = entry.size();
  entry.resize(at + length_bytes);
  KV_TRY(codec.encode(rows, data, entry));
  const std::size_t bytes = entry.size() - at - length_bytes;
  if (bytes > UINT32_MAX)
    return fail(ErrorCode::rejected_input, "cache entry: a head of more than 4 GiB cannot be encoded");
  const auto length = static_cast<std::uint32_t>(bytes);
  std::memcpy(entry.data() + at, &length, sizeof length);
  return {};
}

/// A head's bytes, after their length.
Expected<std::span<const std::byte>> next_head(Reader& reader, int layer) {
  if (reader.left() < length_bytes) return broken(layer, "a head's length is missing");
  const auto length = reader.get<std::uint32_t>();
  if (length > reader.left()) return broken(layer, "a head is cut short");
  return reader.get_bytes(length);
}

/// Positions of each head, stored before the keys.
Expected<std::vector<std::vector<std::int32_t>>> read_positions(const EntryHeader& header, int layer,
                                                                std::span<const std::byte> keys) {
  const std::size_t tokens = header.token_ids.size(), bitmap = encoded_bitmap_bytes(tokens),
                    heads = static_cast<std::size_t>(header.shape.kv_heads);
  if (keys.size() < heads * bitmap) return broken(layer, "its bitmaps are cut short");
  std::vector<std::vector<std::int32_t>> positions(heads);
  for (std::size_t h = 0; h < heads; ++h)
    if (!read_bitmap(keys.subspan(h * bitmap, bitmap), 0, tokens, positions[h]))
      return broken(layer, "positions are outside its context");
  return positions;
}

/// The bytes of all heads of one kind.
Expected<std::vector<std::span<const std::byte>>> split_heads(int layer, std::size_t heads,
                                                              std::span<const std::byte> bytes) {
  Reader reader(bytes);
  std::vector<std::span<const std::byte>> parts;
  for (std::size_t h = 0; h < heads; ++h) {
    KV_ASSIGN(const auto part, next_head(reader, layer));
    parts.push_back(part);
  }
  if (reader.left() != 0) return broken(layer, "bytes follow its heads");
  return parts;
}

}  // namespace

bool read_bitmap(std::span<const std::byte> bitmap, std::size_t first_position, std::size_t tokens,
                 std::vector<std::int32_t>& positions) {
  std::size_t count = positions.size();
  for (const std::byte byte : bitmap) count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(byte)));
  positions.reserve(count);
  for (std::size_t byte = 0; byte < bitmap.size(); ++byte)
    for (auto bits = static_cast<unsigned>(bitmap[byte]); bits != 0; bits &= bits - 1)
      positions.push_back(
          static_cast<std::int32_t>(first_position + byte * 8 + static_cast<std::size_t>(std::countr_zero(bits))));
  return positions.empty() || static_cast<std::size_t>(positions.back()) < tokens;
}

Status write_encoded_layer(const KvCache& cache, int layer, std::size_t tokens, const Codec& codec,
                           std::vector<std::byte>& entry, std::vector<Extent>& extents) {
  const auto heads = static_cast<std::size_t>(cache.shape().kv_heads);
  const std::size_t begin = entry.size();
  entry.resize(begin + heads * encoded_bitmap_bytes(tokens));
  std::vector<std::vector<std::byte>> values(heads);
  std::vector<std::byte> keys;
  std::vector<std::int32_t> positions;
  const auto rows_of = [&](std::size_t head, ExtentKind kind) {
    return CodecRows{cache.shape(), layer, kind, cache.kept(layer, static_cast<int>(head))};
  };
  for (std::size_t h = 0; h < heads; ++h) {
    const CodecRows rows = rows_of(h, ExtentKind::keys);
    keys.resize(rows.bytes());
    values[h].resize(rows.bytes());
    positions.resize(static_cast<std::size_t>(rows.count));
    cache.gather_head(layer, static_cast<int>(h), keys.data(), values[h].data(), positions.data());
    for (const std::int32_t position : positions) {
      const auto bit = static_cast<std::size_t>(position);
      entry[begin + h * encoded_bitmap_bytes(tokens) + bit / 8] |= std::byte{1} << (bit % 8);
    }
    KV_TRY(write_head(rows, codec, keys, entry));
  }
  const std::size_t middle = entry.size();
  for (std::size_t h = 0; h < heads; ++h) KV_TRY(write_head(rows_of(h, ExtentKind::values), codec, values[h], entry));
  const auto add = [&](ExtentKind kind, std::size_t first, std::size_t last) {
    const auto bytes = std::span(entry).subspan(first, last - first);
    extents.push_back({static_cast<std::uint16_t>(layer), 0, kind, encoded, first, bytes.size(), checksum_of(bytes)});
  };
  add(ExtentKind::keys, begin, middle);
  add(ExtentKind::values, middle, entry.size());
  entry.resize(padded(entry.size()));
  return {};
}

Expected<EncodedLayer> split_encoded_layer(const EntryHeader& header, int layer, std::span<const std::byte> keys,
                                           std::span<const std::byte> values) {
  EncodedLayer parts;
  KV_ASSIGN(parts.positions, read_positions(header, layer, keys));
  const std::size_t heads = parts.positions.size(), bitmaps = heads * encoded_bitmap_bytes(header.token_ids.size());
  KV_ASSIGN(parts.keys, split_heads(layer, heads, keys.subspan(bitmaps)));
  KV_ASSIGN(parts.values, split_heads(layer, heads, values));
  return parts;
}

Expected<std::vector<EncodedRows::Head>> take_encoded_layer(const EntryHeader& header, int layer,
                                                            std::span<const std::byte> keys,
                                                            std::span<const std::byte> values) {
  KV_ASSIGN(const auto parts, split_encoded_layer(header, layer, keys, values));
  std::vector<EncodedRows::Head> heads;
  for (std::size_t h = 0; h < parts.positions.size(); ++h)
    heads.push_back({{parts.keys[h].begin(), parts.keys[h].end()},
                     {parts.values[h].begin(), parts.values[h].end()},
                     static_cast<int>(parts.positions[h].size())});
  return heads;
}

}  // namespace kvantage::serial
