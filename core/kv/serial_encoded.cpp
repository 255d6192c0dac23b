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

/// Decodes the heads of one kind, whose rows are contiguous in `data`.
Status read_heads(const EntryHeader& header, int layer, ExtentKind kind, const Codec& codec,
                  const std::vector<std::vector<std::int32_t>>& positions, std::span<const std::byte> bytes,
                  std::span<std::byte> data) {
  Reader reader(bytes);
  for (const auto& head : positions) {
    const CodecRows rows{header.shape, layer, kind, static_cast<int>(head.size())};
    KV_ASSIGN(const auto encoded, next_head(reader, layer));
    KV_TRY(codec.decode(rows, encoded, data.first(rows.bytes())));
    data = data.subspan(rows.bytes());
  }
  if (reader.left() != 0) return broken(layer, "bytes follow its heads");
  return {};
}

}  // namespace

bool read_bitmap(std::span<const std::byte> bitmap, std::size_t first_position, std::size_t tokens,
                 std::vector<std::int32_t>& positions) {
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

Expected<EncodedLayer> read_encoded_layer(const EntryHeader& header, int layer, std::span<const std::byte> keys,
                                          std::span<const std::byte> values) {
  const auto codec = parse_codec(header.compression.codec);
  if (!codec) return broken(layer, codec.error().message);
  KV_ASSIGN(auto positions, read_positions(header, layer, keys));
  EncodedLayer result;
  result.positions = std::move(positions);
  std::size_t rows = 0;
  for (const auto& head : result.positions) rows += head.size();
  result.keys.resize(rows * header.shape.bytes_per_row());
  result.values.resize(result.keys.size());
  const std::size_t bitmaps = result.positions.size() * encoded_bitmap_bytes(header.token_ids.size());
  KV_TRY(read_heads(header, layer, ExtentKind::keys, **codec, result.positions, keys.subspan(bitmaps), result.keys));
  KV_TRY(read_heads(header, layer, ExtentKind::values, **codec, result.positions, values, result.values));
  return result;
}

Expected<std::vector<EncodedRows::Head>> take_encoded_layer(const EntryHeader& header, int layer,
                                                            std::span<const std::byte> keys,
                                                            std::span<const std::byte> values) {
  KV_ASSIGN(const auto positions, read_positions(header, layer, keys));
  Reader of_keys(keys.subspan(positions.size() * encoded_bitmap_bytes(header.token_ids.size()))), of_values(values);
  std::vector<EncodedRows::Head> heads;
  for (const auto& head : positions) {
    KV_ASSIGN(const auto key_bytes, next_head(of_keys, layer));
    KV_ASSIGN(const auto value_bytes, next_head(of_values, layer));
    heads.push_back({{key_bytes.begin(), key_bytes.end()},
                     {value_bytes.begin(), value_bytes.end()},
                     static_cast<int>(head.size())});
  }
  if (of_keys.left() != 0 || of_values.left() != 0) return broken(layer, "bytes follow its heads");
  return heads;
}

}  // namespace kvantage::serial
