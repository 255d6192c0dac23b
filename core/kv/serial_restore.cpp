#include <algorithm>
#include <string>

#include "core/kv/serial_coded.h"

namespace kvantage {
namespace {

using namespace serial;

std::pair<std::uint64_t, std::uint64_t> page_range(std::span<const Extent> extents) {
  if (extents.empty()) return {0, 0};
  return {extents.front().offset, padded(extents.back().offset + extents.back().bytes)};
}

/// One chunk of one layer as it lies in memory.
struct ChunkBytes {
  std::span<const std::byte> bitmaps, keys, values;
};

using Positions = std::vector<std::vector<std::int32_t>>;  // [kv_heads][kept in the chunk]

/// Original positions of the rows of a chunk; false when the bitmaps do not fit the rows or the context.
bool read_bitmaps(const ChunkBytes& chunk, std::size_t first_position, std::size_t tokens, std::size_t row,
                  Positions& positions) {
  std::size_t rows = 0;
  for (std::size_t h = 0; h < positions.size(); ++h) {
    positions[h].clear();
    if (!read_bitmap(chunk.bitmaps.subspan(h * bitmap_bytes, bitmap_bytes), first_position, tokens, positions[h]))
      return false;
    rows += positions[h].size();
  }
  return rows * row == chunk.keys.size();
}

Status append_chunk(const ChunkBytes& chunk, const Positions& positions, int layer, std::size_t row, KvCache& cache) {
  std::size_t at = 0;
  for (std::size_t h = 0; h < positions.size(); ++h) {
    const std::size_t bytes = positions[h].size() * row;
    KV_TRY(cache.append_head(layer, static_cast<int>(h), chunk.keys.subspan(at, bytes), chunk.values.subspan(at, bytes),
                             positions[h]));
    at += bytes;
  }
  return {};
}

}  // namespace

std::span<const Extent> EntryHeader::layer_extents(int layer) const {
  const std::size_t per_layer = extents_per_layer();
  if (layer < 0 || layer >= shape.layers || extents.size() < per_layer * static_cast<std::size_t>(shape.layers))
    return {};
  return std::span(extents).subspan(per_layer * static_cast<std::size_t>(layer), per_layer);
}

std::pair<std::uint64_t, std::uint64_t> EntryHeader::layer_range(int layer) const {
  return page_range(layer_extents(layer));
}

std::span<const Extent> EntryHeader::window_queries_extents(int layer) const {
  if (!has_window_queries() || layer < 0 || layer >= shape.layers ||
      extents.size() < static_cast<std::size_t>(shape.layers))
    return {};
  return std::span(extents).last(static_cast<std::size_t>(shape.layers)).subspan(static_cast<std::size_t>(layer), 1);
}

std::pair<std::uint64_t, std::uint64_t> EntryHeader::window_queries_range(int layer) const {
  return page_range(window_queries_extents(layer));
}

Status restore_layer(const EntryHeader& header, int layer, std::span<const std::byte> bytes, bool verify,
                     KvCache& cache) {
  const std::string name = "cache entry: layer " + std::to_string(layer);
  const auto corrupt = [&name](const char* what) {
    return fail(ErrorCode::corrupt, name + ": " + what + "; the entry is dropped and computed anew");
  };
  if (layer < 0 || layer >= header.shape.layers) return fail(ErrorCode::internal, name + ": no such layer");
  if (cache.shape() != header.shape)
    return fail(ErrorCode::rejected_input, name + ": made by a model of another shape");
  const auto extents = header.layer_extents(layer);
  const auto [begin, end] = header.layer_range(layer);
  if (bytes.size() != end - begin) return corrupt("not all of its bytes are there");
  const std::size_t row = row_bytes(header.shape);
  const std::size_t bitmaps = bitmaps_bytes(header.shape);

  const auto part = [&](const Extent& extent) { return bytes.subspan(extent.offset - begin, extent.bytes); };
  if (verify && !std::ranges::all_of(extents, [&](const Extent& e) { return checksum_of(part(e)) == e.checksum; }))
    return corrupt("checksum does not match");
  // All bitmaps before the first append, so that bad ones change nothing.
  std::vector<std::pair<ChunkBytes, Positions>> chunks;
  CodedLayer decoded;  // what the chunk of a coded layer points into
  if (header.is_coded()) {
    auto read = read_coded_layer(header, layer, part(extents[0]), part(extents[1]));
    if (!read) return tl::unexpected(std::move(read).error());
    decoded = std::move(*read);
    chunks.emplace_back(ChunkBytes{{}, decoded.keys, decoded.values}, std::move(decoded.positions));
  }
  for (std::size_t e = 0; e < extents.size() && !header.is_coded(); e += 2) {
    const auto keys = part(extents[e]);
    const ChunkBytes chunk{keys.first(bitmaps), keys.subspan(bitmaps), part(extents[e + 1])};
    Positions positions(static_cast<std::size_t>(header.shape.kv_heads));
    if (!read_bitmaps(chunk, e / 2 * extent_chunk_positions, header.token_ids.size(), row, positions))
      return corrupt("positions do not match its rows");
    chunks.emplace_back(chunk, std::move(positions));
  }
  std::vector<int> before;
  for (int h = 0; h < header.shape.kv_heads; ++h) before.push_back(cache.kept(layer, h));
  const std::int32_t length_before = cache.sequence_length();
  for (const auto& [chunk, positions] : chunks) {
    if (auto appended = append_chunk(chunk, positions, layer, row, cache); !appended) {
      for (int h = 0; h < header.shape.kv_heads; ++h)
        cache.truncate_head(layer, h, before[static_cast<std::size_t>(h)]);
      cache.set_sequence_length(length_before);
      return appended;
    }
  }
  cache.set_sequence_length(std::max(length_before, static_cast<std::int32_t>(header.token_ids.size())));
  return {};
}

Expected<std::vector<float>> restore_window_queries(const EntryHeader& header, int layer,
                                                    std::span<const std::byte> bytes) {
  const auto extents = header.window_queries_extents(layer);
  if (extents.empty()) return fail(ErrorCode::not_found, "cache entry: it carries no window queries");
  const Extent& extent = extents.front();
  if (bytes.size() < extent.bytes || checksum_of(bytes.first(extent.bytes)) != extent.checksum)
    return fail(ErrorCode::corrupt, "cache entry: window queries of layer " + std::to_string(layer) +
                                        " do not match their checksum; the entry is dropped and computed anew");
  std::vector<float> queries(extent.bytes / sizeof(float));
  std::memcpy(queries.data(), bytes.data(), extent.bytes);
  return queries;
}

}  // namespace kvantage
