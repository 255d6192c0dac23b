#include "core/kv/serial_chunk.h"

#include <string>
#include <utility>

#include "core/kv/row_filling.h"
#include "core/kv/serial_encoded.h"

namespace kvantage::inline kv {

using namespace serial;

std::span<const Extent> chunk_extents(const EntryHeader& header, int layer, int first, int last) {
  const auto extents = header.layer_extents(layer);
  if (header.is_encoded() || extents.empty() || first < 0 || first > last || last > header.chunks()) return {};
  return extents.subspan(2 * static_cast<std::size_t>(first), 2 * static_cast<std::size_t>(last - first));
}

std::pair<std::uint64_t, std::uint64_t> chunk_range(const EntryHeader& header, int layer, int first, int last) {
  const auto extents = chunk_extents(header, layer, first, last);
  if (extents.empty()) return {0, 0};
  return {extents.front().offset, extents.back().offset + extents.back().bytes};
}

Expected<std::vector<ChunkRows>> read_chunks(const EntryHeader& header, int layer, int first, int last,
                                             std::span<const std::byte> bytes, bool verify) {
  const auto corrupt = [layer](const char* what) {
    return fail(ErrorCode::corrupt,
                "cache entry: layer " + std::to_string(layer) + ": " + what + "; the entry is dropped and recomputed");
  };
  const auto extents = chunk_extents(header, layer, first, last);
  const auto [begin, end] = chunk_range(header, layer, first, last);
  if (bytes.size() < end - begin) return corrupt("some of its bytes are missing");
  const auto part = [&](const Extent& extent) { return bytes.subspan(extent.offset - begin, extent.bytes); };
  std::vector<ChunkRows> chunks;
  for (std::size_t e = 0; e < extents.size(); e += 2) {
    const auto keys = part(extents[e]), values = part(extents[e + 1]);
    if (verify && (checksum_of(keys) != extents[e].checksum || checksum_of(values) != extents[e + 1].checksum))
      return corrupt("checksum does not match");
    const std::size_t bitmaps = bitmaps_bytes(header.shape), row = header.shape.bytes_per_row();
    if (keys.size() < bitmaps || keys.size() - bitmaps != values.size())
      return corrupt("positions do not match its rows");
    ChunkRows rows{std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(header.shape.kv_heads)),
                   keys.subspan(bitmaps), values};
    std::size_t count = 0;
    for (std::size_t h = 0; h < rows.positions.size(); ++h) {
      if (!read_bitmap(keys.subspan(h * bitmap_bytes, bitmap_bytes),
                       (static_cast<std::size_t>(first) + e / 2) * extent_chunk_positions, header.token_ids.size(),
                       rows.positions[h]))
        return corrupt("positions do not match its rows");
      count += rows.positions[h].size();
    }
    if (count * row != rows.keys.size()) return corrupt("positions do not match its rows");
    chunks.push_back(std::move(rows));
  }
  return chunks;
}

Status append_chunks(std::span<const ChunkRows> chunks, int layer, KvCache& cache, const RunTasks& on_threads) {
  RowFilling filling(cache.shape(), layer);
  for (const ChunkRows& chunk : chunks) {
    std::size_t at = 0;
    for (std::size_t h = 0; h < chunk.positions.size(); ++h) {
      const std::size_t bytes = chunk.positions[h].size() * cache.shape().bytes_per_row();
      KV_ASSIGN(auto runs, cache.reserve_head(layer, static_cast<int>(h), chunk.positions[h]));
      filling.add(std::move(runs), chunk.keys.subspan(at, bytes), chunk.values.subspan(at, bytes));
      at += bytes;
    }
  }
  return filling.fill(on_threads);
}

}  // namespace kvantage::inline kv
