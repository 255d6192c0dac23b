#include <algorithm>
#include <array>
#include <string>

#include "core/kv/serial_encoded.h"
#include "core/kv/serial_inputs.h"

namespace kvantage::inline kv {
namespace {

using namespace serial;

/// One head's rows, gathered once per layer, and the start of each chunk's rows: [chunks + 1].
struct WrittenRows {
  std::vector<std::byte> keys, values;  // [kept, head_dim]
  std::vector<std::int32_t> positions;  // [kept]
  std::vector<std::size_t> chunk_begin;
};

WrittenRows gather_rows(const KvCache& cache, int layer, int kv_head, int chunks) {
  WrittenRows rows;
  const auto kept = static_cast<std::size_t>(cache.kept(layer, kv_head));
  rows.keys.resize(kept * cache.shape().bytes_per_row());
  rows.values.resize(rows.keys.size());
  rows.positions.resize(kept);
  cache.gather_head(layer, kv_head, rows.keys.data(), rows.values.data(), rows.positions.data());
  for (int c = 0; c <= chunks; ++c)
    rows.chunk_begin.push_back(static_cast<std::size_t>(
        std::ranges::lower_bound(rows.positions, c * extent_chunk_positions) - rows.positions.begin()));
  return rows;
}

std::span<const std::byte> chunk_rows(const std::vector<std::byte>& rows, const WrittenRows& head, std::size_t chunk,
                                      std::size_t row) {
  return std::span(rows).subspan(head.chunk_begin[chunk] * row,
                                 (head.chunk_begin[chunk + 1] - head.chunk_begin[chunk]) * row);
}

void put_bitmap(Writer& writer, const WrittenRows& head, std::size_t chunk) {
  std::array<std::byte, bitmap_bytes> bitmap{};
  for (std::size_t i = head.chunk_begin[chunk]; i < head.chunk_begin[chunk + 1]; ++i) {
    const auto bit = static_cast<std::size_t>(head.positions[i] % extent_chunk_positions);
    bitmap[bit / 8] |= std::byte{1} << (bit % 8);
  }
  writer.put_bytes(bitmap);
}

/// Appends one layer's extents to `entry`, starting at a 4 KiB boundary.
void write_layer(const KvCache& cache, int layer, int chunks, std::vector<std::byte>& entry,
                 std::vector<Extent>& extents) {
  const std::size_t row = cache.shape().bytes_per_row();
  std::vector<WrittenRows> heads;
  for (int h = 0; h < cache.shape().kv_heads; ++h) heads.push_back(gather_rows(cache, layer, h, chunks));
  for (std::size_t c = 0; c < static_cast<std::size_t>(chunks); ++c) {
    for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) {
      std::size_t bytes = kind == ExtentKind::keys ? bitmaps_bytes(cache.shape()) : 0;
      for (const WrittenRows& head : heads) bytes += (head.chunk_begin[c + 1] - head.chunk_begin[c]) * row;
      Extent extent{static_cast<std::uint16_t>(layer), static_cast<std::uint16_t>(c), kind, 0, entry.size(), bytes, 0};
      entry.resize(entry.size() + bytes);
      Writer writer(entry.data() + extent.offset);
      if (kind == ExtentKind::keys)
        for (const WrittenRows& head : heads) put_bitmap(writer, head, c);
      for (const WrittenRows& head : heads)
        writer.put_bytes(chunk_rows(kind == ExtentKind::keys ? head.keys : head.values, head, c, row));
      extent.checksum = checksum_of(std::span(entry).subspan(extent.offset, bytes));
      extents.push_back(extent);
    }
  }
  entry.resize(padded(entry.size()));
}

void write_window_queries(const std::vector<float>& queries, std::size_t layer, std::vector<std::byte>& entry,
                          std::vector<Extent>& extents) {
  const auto bytes = std::as_bytes(std::span(queries));
  extents.push_back({static_cast<std::uint16_t>(layer), 0, ExtentKind::window_queries, 0, entry.size(), bytes.size(),
                     checksum_of(bytes)});
  entry.insert(entry.end(), bytes.begin(), bytes.end());
  entry.resize(padded(entry.size()));
}

void write_header(const EntryHeader& header, std::span<std::byte> target) {
  Writer writer(target.data());
  writer.put(magic);
  writer.put(header.is_encoded() ? version_encoded : version_as_held);
  writer.put(static_cast<std::uint32_t>(header.compression.codec.size()));
  writer.put(header.header_bytes);
  writer.put(checksum_of(target.first(prefix_bytes - checksum_bytes)));
  for (const Digest128& digest : {header.identity.model, header.identity.tokenizer}) {
    writer.put(digest.high);
    writer.put(digest.low);
  }
  writer.put(static_cast<std::uint32_t>(header.identity.kv_type));
  writer.put(header.identity.prefill_chunk_tokens);
  writer.put(header.identity.numerics_version);
  writer.put(header.shape.layers);
  writer.put(header.shape.kv_heads);
  writer.put(header.shape.head_dim);
  writer.put(static_cast<std::uint32_t>(header.shape.type));
  writer.put(header.query_heads);
  writer.put(header.query_window);
  writer.put(static_cast<std::uint32_t>(header.compression.method.size()));
  writer.put(std::uint64_t{header.token_ids.size()});
  writer.put(std::uint64_t{header.extents.size()});
  writer.put(header.compression.removed_fraction);
  writer.put(header.entry_bytes);
  writer.put(header.kept_rows);
  writer.put_bytes(std::as_bytes(std::span(header.compression.method)));
  writer.put_bytes(std::as_bytes(std::span(header.compression.codec)));
  writer.put_bytes(std::as_bytes(std::span(header.token_ids)));
  for (const Extent& extent : header.extents) {
    writer.put(extent.layer);
    writer.put(extent.chunk);
    writer.put(static_cast<std::uint8_t>(extent.kind));
    writer.put(extent.codec);
    writer.put(std::uint16_t{0});
    writer.put(extent.offset);
    writer.put(extent.bytes);
    writer.put(extent.checksum);
  }
  Writer(target.data() + target.size() - checksum_bytes).put(checksum_of(target.first(target.size() - checksum_bytes)));
}

Status check_writable(const KvCache& cache, const EntryHeader& header, const WindowQueries* queries) {
  const KvShape& shape = cache.shape();
  if (static_cast<std::size_t>(cache.sequence_length()) != header.token_ids.size())
    return fail(ErrorCode::internal, "cache entry: the cache has seen " + std::to_string(cache.sequence_length()) +
                                         " tokens, its header names " + std::to_string(header.token_ids.size()));
  if (shape.layers > 65535 || (!header.is_encoded() && header.chunks() > 65535))
    return fail(ErrorCode::rejected_input, "cache entry: more than 65535 layers or 16,776,960 tokens");
  if (queries == nullptr || queries->empty()) return {};
  const std::size_t floats = static_cast<std::size_t>(queries->heads) * static_cast<std::size_t>(queries->window) *
                             static_cast<std::size_t>(shape.head_dim);
  if (queries->heads <= 0 || queries->window <= 0 || queries->layers.size() != static_cast<std::size_t>(shape.layers) ||
      !std::ranges::all_of(queries->layers, [floats](const auto& layer) { return layer.size() == floats; }))
    return fail(ErrorCode::internal, "cache entry: window queries must be [layers][heads, window, head_dim]");
  return {};
}

}  // namespace

std::vector<std::byte> header_block(const EntryHeader& header) {
  std::vector<std::byte> block(header.header_bytes);
  write_header(header, block);
  return block;
}

Expected<std::vector<std::byte>> serialize(const KvCache& cache, EntryHeader& header, const WindowQueries* queries,
                                           const LayerInputRows* inputs) {
  std::shared_ptr<const Codec> codec;
  if (header.is_encoded()) {
    KV_ASSIGN(auto parsed, parse_codec(header.compression.codec));
    codec = std::move(parsed);
    header.compression.codec = codec->is_identity() ? std::string() : codec->text();
  }
  KV_TRY(check_writable(cache, header, queries));
  if (header.holds_layer_inputs() && (inputs == nullptr || (queries != nullptr && !queries->empty())))
    return fail(ErrorCode::internal, "cache entry: layer_inputs needs the layer inputs and stores no window queries");
  const bool with_queries = queries != nullptr && !queries->empty();
  const int layers = cache.shape().layers;
  const int chunks = header.chunks();
  header.shape = cache.shape();
  header.kept_rows = cache.kept_rows();
  header.query_heads = with_queries ? queries->heads : 0;
  header.query_window = with_queries ? queries->window : 0;
  header.extents.clear();
  header.header_bytes =
      header_bytes(header.compression.method.size() + header.compression.codec.size(), header.token_ids.size(),
                   static_cast<std::size_t>(layers) * (header.extents_per_layer() + (with_queries ? 1 : 0)));
  std::vector<std::byte> entry(header.header_bytes);
  if (header.holds_layer_inputs()) {
    const int front =
        tokens_as_inputs(codec->layer_input_share(), header.token_ids.size(), header.identity.prefill_chunk_tokens);
    for (int l = 0; l < layers; ++l) KV_TRY(write_inputs_layer(cache, l, *inputs, front, entry, header.extents));
  } else if (header.is_encoded()) {
    for (int l = 0; l < layers; ++l)
      KV_TRY(write_encoded_layer(cache, l, header.token_ids.size(), *codec, entry, header.extents));
  } else {
    entry.reserve(header.header_bytes + cache.payload_bytes() +
                  static_cast<std::size_t>(layers) *
                      (static_cast<std::size_t>(chunks) * bitmaps_bytes(cache.shape()) + entry_alignment));
    for (int l = 0; l < layers; ++l) write_layer(cache, l, chunks, entry, header.extents);
  }
  if (with_queries)
    for (std::size_t l = 0; l < queries->layers.size(); ++l)
      write_window_queries(queries->layers[l], l, entry, header.extents);
  header.entry_bytes = entry.size();
  write_header(header, std::span(entry).first(header.header_bytes));
  return entry;
}

}  // namespace kvantage::inline kv
