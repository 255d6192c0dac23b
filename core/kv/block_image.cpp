#include "core/kv/block_image.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/kv/serial_chunk.h"
#include "core/kv/serial_layout.h"

namespace kvantage::inline kv {
namespace {

std::size_t blocks_of(int rows, const CacheBlockForm& form) {
  return static_cast<std::size_t>((rows + form.block_tokens - 1) / form.block_tokens);
}

/// Where the rows of one head are, in bytes from the start of its layer's blocks.
struct HeadBlocks {
  std::size_t first;
  const CacheBlockForm& form;
  std::size_t row_bytes;

  std::size_t slot(std::size_t token) const { return token % static_cast<std::size_t>(form.block_tokens); }
  std::size_t block(std::size_t token) const {
    return first + token / static_cast<std::size_t>(form.block_tokens) * form.block_bytes;
  }
  std::size_t key(std::size_t token) const { return block(token) + slot(token) * row_bytes; }
  std::size_t value(std::size_t token) const { return block(token) + form.values_at + slot(token) * row_bytes; }
  std::size_t position(std::size_t token) const {
    return block(token) + form.positions_at + slot(token) * sizeof(std::int32_t);
  }

  /// Rows [at, at + count of positions), as many of them as are left in a block at a time.
  void put(std::byte* layer, std::size_t at, std::span<const std::int32_t> positions, const std::byte* keys,
           const std::byte* values) const {
    while (!positions.empty()) {
      const std::size_t run = std::min(positions.size(), static_cast<std::size_t>(form.block_tokens) - slot(at));
      std::memcpy(layer + key(at), keys, run * row_bytes);
      std::memcpy(layer + value(at), values, run * row_bytes);
      std::memcpy(layer + position(at), positions.data(), run * sizeof(std::int32_t));
      at += run;
      keys += run * row_bytes;
      values += run * row_bytes;
      positions = positions.subspan(run);
    }
  }
};

tl::unexpected<Error> changed(int layer) {
  return fail(ErrorCode::corrupt, "cache entry: layer " + std::to_string(layer) +
                                      ": its blocks differ from those written; the entry is dropped and recomputed");
}

}  // namespace

std::optional<BlockImage> BlockImage::of(std::span<const std::byte> entry, const CacheBlockForm& form) {
  auto header = parse_entry_header(entry);
  if (!header || header->is_encoded() || header->has_window_queries() || header->entry_bytes != entry.size() ||
      header->shape.type != KvType::bf16 || header->shape.head_dim != form.head_dim)
    return std::nullopt;
  BlockImage image;
  image.form_ = form;
  image.first_block_ = {0};
  const auto heads = static_cast<std::size_t>(header->shape.kv_heads);
  for (int layer = 0; layer < header->shape.layers; ++layer) {
    const auto [begin, end] = header->layer_range(layer);
    const auto chunks = read_chunks(*header, layer, 0, header->chunks(), entry.subspan(begin, end - begin), false);
    if (!chunks) return std::nullopt;
    std::size_t blocks = image.first_block_.back();
    for (std::size_t h = 0; h < heads; ++h) {
      std::size_t rows = 0;
      for (const ChunkRows& chunk : *chunks) rows += chunk.positions[h].size();
      image.kept_.push_back(static_cast<int>(rows));
      blocks += blocks_of(image.kept_.back(), form);
    }
    image.first_block_.push_back(blocks);
  }
  image.header_ = std::make_shared<const EntryHeader>(std::move(*header));
  return image;
}

int BlockImage::kept(int layer, std::size_t head) const {
  return kept_[static_cast<std::size_t>(layer) * static_cast<std::size_t>(header_->shape.kv_heads) + head];
}

std::vector<std::size_t> BlockImage::head_offsets(int layer) const {
  std::vector<std::size_t> offsets;
  std::size_t at = 0;
  for (std::size_t h = 0; h < static_cast<std::size_t>(header_->shape.kv_heads); ++h) {
    offsets.push_back(at);
    at += blocks_of(kept(layer, h), form_) * form_.block_bytes;
  }
  return offsets;
}

Expected<std::vector<std::byte>> BlockImage::layer_blocks(int layer, std::span<const std::byte> entry) const {
  const auto [begin, end] = header_->layer_range(layer);
  KV_ASSIGN(const auto chunks,
            read_chunks(*header_, layer, 0, header_->chunks(), entry.subspan(begin, end - begin), true));
  std::vector<std::byte> blocks_there(blocks(layer) * form_.block_bytes);
  const std::size_t row = header_->shape.bytes_per_row();
  const std::vector<std::size_t> offsets = head_offsets(layer);
  std::vector<std::size_t> filled(offsets.size());
  for (const ChunkRows& chunk : chunks) {
    std::size_t at = 0;
    for (std::size_t h = 0; h < offsets.size(); ++h) {
      const HeadBlocks head{offsets[h], form_, row};
      head.put(blocks_there.data(), filled[h], chunk.positions[h], chunk.keys.data() + at, chunk.values.data() + at);
      filled[h] += chunk.positions[h].size();
      at += chunk.positions[h].size() * row;
    }
  }
  return blocks_there;
}

// Whatever the blocks hold, nothing is written outside of the layer's bytes; what is wrong in them fails a checksum.
Expected<std::vector<std::byte>> BlockImage::layer_bytes(int layer, std::span<const std::byte> blocks) const {
  const auto [begin, end] = header_->layer_range(layer);
  if (blocks.size() != this->blocks(layer) * form_.block_bytes) return changed(layer);
  std::vector<std::byte> bytes(end - begin);
  const std::size_t row = header_->shape.bytes_per_row(), bitmaps = serial::bitmaps_bytes(header_->shape);
  const auto extents = header_->layer_extents(layer);
  const std::vector<std::size_t> offsets = head_offsets(layer);
  std::vector<std::size_t> taken(offsets.size());
  for (std::size_t chunk = 0; 2 * chunk < extents.size(); ++chunk) {
    const Extent &keys = extents[2 * chunk], &values = extents[2 * chunk + 1];
    std::byte* const keys_there = bytes.data() + (keys.offset - begin);
    std::byte* const values_there = bytes.data() + (values.offset - begin);
    std::size_t at = 0;
    for (std::size_t h = 0; h < offsets.size(); ++h) {
      const HeadBlocks head{offsets[h], form_, row};
      for (; taken[h] < static_cast<std::size_t>(kept(layer, h)); ++taken[h]) {
        std::int32_t position = 0;
        std::memcpy(&position, blocks.data() + head.position(taken[h]), sizeof position);
        if (position < 0 || static_cast<std::size_t>(position / extent_chunk_positions) != chunk) break;
        if (bitmaps + at + row > keys.bytes || at + row > values.bytes) return changed(layer);
        const auto bit = static_cast<std::size_t>(position % extent_chunk_positions);
        keys_there[h * serial::bitmap_bytes + bit / 8] |= std::byte{1} << (bit % 8);
        std::memcpy(keys_there + bitmaps + at, blocks.data() + head.key(taken[h]), row);
        std::memcpy(values_there + at, blocks.data() + head.value(taken[h]), row);
        at += row;
      }
    }
  }
  for (const Extent& extent : extents)
    if (checksum_of(std::span(bytes).subspan(extent.offset - begin, extent.bytes)) != extent.checksum)
      return changed(layer);
  return bytes;
}

}  // namespace kvantage::inline kv
