// An entry of plain rows in the blocks of a device's caches, and back: what a tier in a device's memory stores, so that
// a model there takes the blocks as they are.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/kv/serial.h"
#include "core/ports/device_residency.h"

namespace kvantage::inline kv {

/// How an entry's rows lie in blocks. The bytes themselves are elsewhere.
class BlockImage {
 public:
  /// `entry`: all of its bytes. Nothing: they are no well-formed entry, it has window queries, or its rows are encoded,
  /// of another type than bf16 or of another head_dim.
  static std::optional<BlockImage> of(std::span<const std::byte> entry, const CacheBlockForm& form);

  const EntryHeader& header() const { return *header_; }
  const CacheBlockForm& form() const { return form_; }
  /// Rows of every head: [layers * kv_heads].
  const std::vector<int>& kept() const { return kept_; }
  /// Blocks of all layers; those of one are [first_block(layer), first_block(layer) + blocks(layer)), head after head.
  std::size_t blocks() const { return first_block_.back(); }
  std::size_t blocks(int layer) const { return first_block(layer + 1) - first_block(layer); }
  std::size_t first_block(int layer) const { return first_block_[static_cast<std::size_t>(layer)]; }

  /// A layer's blocks, [blocks(layer), block_bytes]; bytes without a row are zero. corrupt: a checksum of `entry`,
  /// which must be the same as in of(), does not match.
  Expected<std::vector<std::byte>> layer_blocks(int layer, std::span<const std::byte> entry) const;
  /// The entry's bytes header().layer_range(layer), from those blocks. corrupt: they do not give the bytes that the
  /// header's checksums are of.
  Expected<std::vector<std::byte>> layer_bytes(int layer, std::span<const std::byte> blocks) const;

 private:
  BlockImage() = default;
  int kept(int layer, std::size_t head) const;
  /// Where each head's blocks begin in those of its layer: [kv_heads].
  std::vector<std::size_t> head_offsets(int layer) const;

  std::shared_ptr<const EntryHeader> header_;
  CacheBlockForm form_;
  std::vector<int> kept_;
  std::vector<std::size_t> first_block_;  // [layers + 1]
};

}  // namespace kvantage::inline kv
