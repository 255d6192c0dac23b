#include <string>

#include "core/kv/serial_encoded.h"
#include "core/kv/serial_inputs.h"

namespace kvantage::inline kv {
namespace {

using namespace serial;

tl::unexpected<Error> broken_entry(const std::string& what) {
  return fail(ErrorCode::corrupt, "cache entry: " + what + "; it is dropped and recomputed");
}

/// One layer of an encoded entry: head lengths are checked on decoding.
bool is_encoded_pair(const EntryHeader& header, std::span<const Extent> pair, int layer, std::uint64_t offset) {
  const auto heads = static_cast<std::uint64_t>(header.shape.kv_heads);
  const std::uint64_t lengths = heads * length_bytes;
  std::uint64_t least[] = {heads * encoded_bitmap_bytes(header.token_ids.size()) + lengths, lengths};
  if (header.holds_layer_inputs()) {
    least[0] = inputs_frame_bytes;
    least[1] = 0;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const Extent& extent = pair[i];
    if (extent.layer != layer || extent.chunk != 0 || extent.kind != static_cast<ExtentKind>(i) ||
        extent.codec != encoded || extent.offset != offset || extent.bytes < least[i] || offset > header.entry_bytes ||
        extent.bytes > header.entry_bytes - offset)
      return false;
    offset += extent.bytes;
  }
  return true;
}

/// Whether the table is the only layout that shape, tokens and counts allow: every offset and length follows from the
/// numbers of kept rows, so a forged table cannot mislead a reader.
bool is_canonical(const EntryHeader& header) {
  if (header.holds_layer_inputs() && header.has_window_queries()) return false;
  const auto row = static_cast<std::uint64_t>(header.shape.bytes_per_row());
  const auto bitmaps = static_cast<std::uint64_t>(bitmaps_bytes(header.shape));
  const std::uint64_t max_rows =
      std::uint64_t{extent_chunk_positions} * static_cast<std::uint64_t>(header.shape.kv_heads);
  std::uint64_t offset = header.header_bytes;
  std::uint64_t rows = 0;
  auto extent = header.extents.begin();
  const auto follows = [&](int layer, int chunk, ExtentKind kind) {
    const bool fits = extent->layer == layer && extent->chunk == chunk && extent->kind == kind && extent->codec == 0 &&
                      extent->offset == offset && extent->bytes <= header.entry_bytes &&
                      offset <= header.entry_bytes - extent->bytes;
    if (fits) offset += (extent++)->bytes;
    return fits;
  };
  for (int l = 0; l < header.shape.layers && header.is_encoded(); ++l) {
    if (!is_encoded_pair(header, std::span(extent, 2), l, offset)) return false;
    offset = padded(offset + extent[0].bytes + extent[1].bytes);
    extent += 2;
  }
  for (int l = 0; l < header.shape.layers && !header.is_encoded(); ++l) {
    for (int c = 0; c < header.chunks(); ++c) {
      const std::uint64_t key_bytes = extent->bytes;
      if (!follows(l, c, ExtentKind::keys) || key_bytes < bitmaps || (key_bytes - bitmaps) % row != 0 ||
          (key_bytes - bitmaps) / row > max_rows || extent->bytes != key_bytes - bitmaps ||
          !follows(l, c, ExtentKind::values))
        return false;
      rows += (key_bytes - bitmaps) / row;
    }
    offset = padded(offset);
  }
  if (header.has_window_queries()) {
    const std::uint64_t query_bytes = static_cast<std::uint64_t>(header.query_heads) *
                                      static_cast<std::uint64_t>(header.query_window) *
                                      static_cast<std::uint64_t>(header.shape.head_dim) * sizeof(float);
    for (int l = 0; l < header.shape.layers; ++l) {
      if (extent->bytes != query_bytes || !follows(l, 0, ExtentKind::window_queries)) return false;
      offset = padded(offset);
    }
  }
  // Lengths do not imply the number of encoded rows; at most all are kept.
  const std::uint64_t all_rows = static_cast<std::uint64_t>(header.shape.layers) *
                                 static_cast<std::uint64_t>(header.shape.kv_heads) * header.token_ids.size();
  return offset == header.entry_bytes &&
         (header.is_encoded() ? header.kept_rows <= all_rows : rows == header.kept_rows);
}

}  // namespace

Expected<std::uint64_t> entry_header_bytes(std::span<const std::byte> first_block) {
  if (first_block.size() < entry_alignment) return broken_entry("shorter than one page");
  Reader reader(first_block);
  if (reader.get<std::uint64_t>() != magic) return broken_entry("does not begin with its signature");
  const auto version = reader.get<std::uint32_t>();
  if (version != version_as_held && version != version_encoded)
    return broken_entry("format version " + std::to_string(version) + " is neither 1 nor 2");
  const auto codec_bytes = reader.get<std::uint32_t>();
  if (version == version_as_held ? codec_bytes != 0 : codec_bytes == 0 || codec_bytes > max_codec_text_bytes)
    return broken_entry("length of its codec's name is invalid");
  const auto bytes = reader.get<std::uint64_t>();
  if (reader.get<std::uint64_t>() != checksum_of(first_block.first(prefix_bytes - checksum_bytes)))
    return broken_entry("its first bytes fail their checksum");
  if (bytes == 0 || bytes % entry_alignment != 0 || bytes > max_header_bytes)
    return broken_entry("header length is invalid");
  return bytes;
}

Expected<EntryHeader> parse_entry_header(std::span<const std::byte> bytes) {
  KV_ASSIGN(const auto length, entry_header_bytes(bytes));
  if (bytes.size() < length) return broken_entry("header is cut short");
  bytes = bytes.first(length);
  const auto body = bytes.first(bytes.size() - checksum_bytes);
  if (Reader(bytes.last(checksum_bytes)).get<std::uint64_t>() != checksum_of(body))
    return broken_entry("header fails its checksum");

  EntryHeader header;
  header.header_bytes = length;
  const auto codec_bytes = Reader(body.subspan(codec_bytes_at)).get<std::uint32_t>();
  Reader reader(body.subspan(prefix_bytes));
  for (Digest128* digest : {&header.identity.model, &header.identity.tokenizer}) {
    digest->high = reader.get<std::uint64_t>();
    digest->low = reader.get<std::uint64_t>();
  }
  const auto identity_type = reader.get<std::uint32_t>();
  header.identity.prefill_chunk_tokens = reader.get<std::int32_t>();
  header.identity.numerics_version = reader.get<std::int32_t>();
  header.shape.layers = reader.get<std::int32_t>();
  header.shape.kv_heads = reader.get<std::int32_t>();
  header.shape.head_dim = reader.get<std::int32_t>();
  const auto shape_type = reader.get<std::uint32_t>();
  header.query_heads = reader.get<std::int32_t>();
  header.query_window = reader.get<std::int32_t>();
  const auto method_bytes = reader.get<std::uint32_t>();
  const auto tokens = reader.get<std::uint64_t>();
  const auto extents = reader.get<std::uint64_t>();
  header.compression.removed_fraction = reader.get<double>();
  header.entry_bytes = reader.get<std::uint64_t>();
  header.kept_rows = reader.get<std::uint64_t>();

  const auto within = [](int value, int least, int most) { return value >= least && value <= most; };
  if (identity_type > 1 || shape_type > 1) return broken_entry("unknown number type");
  header.identity.kv_type = static_cast<KvType>(identity_type);
  header.shape.type = static_cast<KvType>(shape_type);
  if (!within(header.shape.layers, 1, 65535) || !within(header.shape.kv_heads, 1, 65535) ||
      !within(header.shape.head_dim, 1, 65535) || !within(header.query_heads, 0, 65535) ||
      !within(header.query_window, 0, 65535) || (header.query_heads == 0) != (header.query_window == 0))
    return broken_entry("shape out of range");
  if (header.entry_bytes > std::uint64_t{1} << 62) return broken_entry("length out of range");
  if (!(header.compression.removed_fraction >= 0 && header.compression.removed_fraction < 1))
    return broken_entry("removed fraction out of range");
  // Each count is checked against the remaining bytes before it is used for an allocation.
  if (method_bytes > reader.left()) return broken_entry("method name longer than the header");
  const auto method = reader.get_bytes(method_bytes);
  header.compression.method.assign(reinterpret_cast<const char*>(method.data()), method.size());
  if (codec_bytes > reader.left()) return broken_entry("codec name longer than the header");
  const auto codec = reader.get_bytes(codec_bytes);
  header.compression.codec.assign(reinterpret_cast<const char*>(codec.data()), codec.size());
  if (header.is_encoded()) {
    const auto known = parse_codec(header.compression.codec);
    if (!known || (*known)->is_identity() || (*known)->text() != header.compression.codec)
      return broken_entry("unknown codec");
  }
  if (tokens > reader.left() / sizeof(std::int32_t)) return broken_entry("more tokens than the header holds");
  header.token_ids.resize(tokens);
  const auto ids = reader.get_bytes(tokens * sizeof(std::int32_t));
  if (!ids.empty()) std::memcpy(header.token_ids.data(), ids.data(), ids.size());
  if (extents > reader.left() / extent_record_bytes ||
      extents != static_cast<std::uint64_t>(header.shape.layers) *
                     (header.extents_per_layer() + (header.has_window_queries() ? 1 : 0)))
    return broken_entry("extent table does not fit its shape");
  header.extents.resize(extents);
  for (Extent& extent : header.extents) {
    extent.layer = reader.get<std::uint16_t>();
    extent.chunk = reader.get<std::uint16_t>();
    extent.kind = static_cast<ExtentKind>(reader.get<std::uint8_t>());
    extent.codec = reader.get<std::uint8_t>();
    if (reader.get<std::uint16_t>() != 0) return broken_entry("reserved bytes are set");
    extent.offset = reader.get<std::uint64_t>();
    extent.bytes = reader.get<std::uint64_t>();
    extent.checksum = reader.get<std::uint64_t>();
  }
  if (header.header_bytes != header_bytes(std::size_t{method_bytes} + codec_bytes, tokens, extents) ||
      !is_canonical(header))
    return broken_entry("extent table does not describe a well-formed entry");
  return header;
}

}  // namespace kvantage::inline kv
