// Memory of the KV caches that a model computes on.
//
// A block holds the keys, values and original positions of `block_tokens` tokens of ONE KV head of one layer:
//   keys      [block_tokens, head_dim]   row-major, KvType
//   values    [block_tokens, head_dim]   row-major, KvType
//   positions [block_tokens]             int32, original position in the context
// Blocks are reference-counted so that prefixes can be shared. Each head owns a list of blocks, so heads may keep
// different numbers of tokens, and evicting a head's tokens frees real memory. The arena grows in slabs that are
// touched on allocation, so that out-of-memory is an error here and not an OOM kill later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/kv/codecs/shape.h"

namespace kvantage::inline kv {

using BlockId = std::int32_t;
inline constexpr BlockId no_block = -1;

class BlockPool {
 public:
  /// block_tokens: a multiple of 4 (of 32 where codecs are used). capacity_bytes: maximum size of the pool. Keys,
  /// values and positions of a block are each 64-byte aligned; all blocks read as zero until written.
  BlockPool(KvShape shape, int block_tokens, std::size_t capacity_bytes);
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// From now on `touch` zeroes new slabs, on threads whose NUMA nodes shall hold them; by default allocate() does.
  void touch_with(std::function<void(std::span<std::byte>)> touch) { touch_ = std::move(touch); }

  /// A block with reference count 1; no_space when the capacity is reached or the system denies memory.
  Expected<BlockId> allocate();
  void retain(BlockId block);
  /// Drops one reference; the block is free at zero.
  void release(BlockId block);
  int references(BlockId block) const;

  std::byte* keys(BlockId block);
  std::byte* values(BlockId block);
  std::int32_t* positions(BlockId block);
  const std::byte* keys(BlockId block) const;
  const std::byte* values(BlockId block) const;
  const std::int32_t* positions(BlockId block) const;

  const KvShape& shape() const { return shape_; }
  int block_tokens() const { return block_tokens_; }
  /// Keys + values + positions of one block.
  std::size_t block_bytes() const { return block_bytes_; }
  std::size_t live_blocks() const;
  std::size_t free_blocks() const;
  std::size_t capacity_blocks() const;
  /// Blocks in more than one table.
  std::size_t shared_blocks() const;
  std::size_t held_bytes() const { return live_blocks() * block_bytes_; }

 private:
  struct Slab;
  std::byte* address(BlockId block) const;

  KvShape shape_;
  int block_tokens_;
  std::size_t block_bytes_;
  std::size_t capacity_blocks_;
  std::size_t blocks_per_slab_;
  std::function<void(std::span<std::byte>)> touch_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::vector<std::int32_t> references_;
  std::vector<BlockId> free_;
  std::size_t shared_blocks_ = 0;
};

}  // namespace kvantage::inline kv
