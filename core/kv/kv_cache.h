// KvCache: the ragged, per-head cache of one sequence.
//
// For every layer and KV head an own list of kept tokens, ascending by original position, in blocks of a BlockPool.
// Compression = keep(): the kept rows are gathered into fewer blocks and the rest is freed. New tokens (a question,
// decoded tokens, a later part of the context) are appended at their ORIGINAL positions: sequence_length() counts
// tokens ever seen, kept() counts tokens held. Copying is explicit (share()), blocks are reference-counted and a
// shared block is copied before it is written.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv/block_pool.h"

namespace kvantage {

/// What the attention kernels read: one KV head of one layer. Block b holds tokens [b*block_tokens, ...).
struct HeadView {
  std::span<const BlockId> blocks;
  int kept = 0;                     // tokens held
  const BlockPool* pool = nullptr;  // gives the addresses
};

/// Kept token indices of one layer: per KV head, ascending indices into that head's present tokens.
using KeptIndices = std::vector<std::vector<std::int32_t>>;

class KvCache {
 public:
  explicit KvCache(BlockPool& pool);
  ~KvCache();
  KvCache(KvCache&&) noexcept;
  KvCache& operator=(KvCache&&) noexcept;
  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  /// Appends `tokens` rows to every head of `layer`. keys, values: [tokens, kv_heads, head_dim] in the pool's KvType,
  /// contiguous; positions: [tokens], ascending and larger than those held. no_space leaves the cache unchanged.
  Status append(int layer, std::span<const std::byte> keys, std::span<const std::byte> values,
                std::span<const std::int32_t> positions);
  /// Appends rows to one head: keys, values [n, head_dim]; used when a ragged cache is read back.
  Status append_head(int layer, int kv_head, std::span<const std::byte> keys, std::span<const std::byte> values,
                     std::span<const std::int32_t> positions);

  /// Keeps only the given tokens of one layer (KeptIndices [kv_heads][kept]) and frees the blocks left over. Works in
  /// place; only blocks shared with another cache need new ones (no_space leaves the cache unchanged).
  Status keep(int layer, const KeptIndices& kept);
  /// Drops all tokens at original positions >= position in every layer and head (a question after its answer).
  void truncate(std::int32_t position);
  void clear();

  HeadView head(int layer, int kv_head) const;
  /// Copies one head out: keys, values [kept, head_dim] (KvType), positions [kept]. Null pointers are skipped.
  void gather_head(int layer, int kv_head, std::byte* keys, std::byte* values, std::int32_t* positions) const;

  int kept(int layer, int kv_head) const;
  /// Mean of kept() over layers and heads, rounded up: what load and question prefill cost is charged by.
  int kept_mean() const;
  std::size_t kept_rows() const;  // sum of kept() over layers and heads
  /// Original positions go from 0 to sequence_length()-1; the next token stands at sequence_length().
  std::int32_t sequence_length() const { return sequence_length_; }
  void set_sequence_length(std::int32_t tokens) { sequence_length_ = tokens; }

  /// Bytes of kept keys and values.
  std::size_t payload_bytes() const;
  /// Bytes of the blocks held, padding and positions included; a block shared with another cache counts in both.
  std::size_t held_bytes() const;
  const KvShape& shape() const { return pool_->shape(); }
  BlockPool& pool() const { return *pool_; }

  /// A second cache over the same blocks (reference-counted); writing to either copies the block first.
  KvCache share() const;

 private:
  struct Head {
    std::vector<BlockId> blocks;
    int kept = 0;
  };
  struct RowSource;
  Status append_rows(int layer, int first_head, int heads, const RowSource& source);
  Expected<std::vector<BlockId>> allocate(std::size_t blocks);
  std::size_t blocks_to_write(const Head& head, int first_moved, int kept) const;
  void gather(Head& head, std::span<const std::int32_t> kept, int first_moved, std::vector<BlockId>& spare);
  void copy_rows(BlockId from, int from_row, BlockId to, int to_row, int rows);
  Head& at(int layer, int kv_head);
  const Head& at(int layer, int kv_head) const;

  BlockPool* pool_;
  std::vector<Head> heads_;  // [layers * kv_heads]
  std::int32_t sequence_length_ = 0;
};

}  // namespace kvantage
