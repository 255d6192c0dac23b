// KvCache: the ragged, per-head cache of one sequence.
//
// For every layer and KV head there is a list of kept tokens, ascending by original position, in blocks of a BlockPool.
// Compression = keep(): the kept rows are gathered into fewer blocks and the rest is freed. evict() only marks tokens
// dead: no byte moves, a block is freed when its last row is dead, and until then the head has holes. compaction.h
// closes holes. New tokens (a question, decoded tokens, a later part of the context) are appended at their ORIGINAL
// positions, never into holes: sequence_length() counts tokens ever seen, kept() counts tokens held. Copies are
// explicit (share()); blocks are reference-counted and a shared block is copied before it is written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/kv/block_pool.h"
#include "core/kv/encoded_rows.h"
#include "core/kv/head_layout.h"
#include "core/kv/row_run.h"
#include "core/ports/device_residency.h"

namespace kvantage::inline kv {

/// The view for attention kernels: one KV head of one layer; valid until the cache changes. The i-th kept token in
/// logical order (ascending positions) is in slot row_slots[i], without holes in slot i; slot s is row s % block_tokens
/// of blocks[s / block_tokens].
struct HeadView {
  std::span<const BlockId> blocks;
  int kept = 0;                             // tokens held
  const BlockPool* pool = nullptr;          // gives the addresses
  std::span<const std::int32_t> row_slots;  // [kept]; empty: dense
  int used = 0;                             // slots below this were written; used - kept of them are dead

  std::int32_t slot(std::size_t token) const {
    return row_slots.empty() ? static_cast<std::int32_t>(token) : row_slots[token];
  }
};

struct CompactionPlan;    // compaction.h
struct CompactionReport;  // compaction.h

/// Token indices of one layer: per KV head, ascending indices into that head's present tokens.
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
  /// Appends rows to one head: keys, values [n, head_dim].
  Status append_head(int layer, int kv_head, std::span<const std::byte> keys, std::span<const std::byte> values,
                     std::span<const std::int32_t> positions);
  /// As append_head(), for rows that the caller writes where the runs say; until then they are undefined.
  Expected<std::vector<RowRun>> reserve_head(int layer, int kv_head, std::span<const std::int32_t> positions);

  /// Keeps only the given tokens of one layer (KeptIndices [kv_heads][kept]), gathers them without holes and frees the
  /// remaining blocks. In place; only shared blocks that must be written need new ones (no_space leaves the cache
  /// unchanged).
  Status keep(int layer, const KeptIndices& kept);
  /// Marks tokens of one layer dead (KeptIndices [kv_heads][dropped]). No byte moves. A block without a live row leaves
  /// the table and its reference is dropped, shared or not. The block being filled stays as long as it has free slots
  /// and its head holds any token. internal, without changes: indices that do not ascend or are out of range.
  Status evict(int layer, const KeptIndices& dropped);
  /// Drops all tokens at original positions >= position in every layer and head (a question after its answer).
  void truncate(std::int32_t position);
  void clear();
  /// Drops the newest tokens of one head so that at most `kept` are left.
  void truncate_head(int layer, int kv_head, int kept);
  HeadView head(int layer, int kv_head) const;
  /// Copies one head out: keys, values [kept, head_dim] (KvType), positions [kept]. Null pointers are skipped.
  void gather_head(int layer, int kv_head, std::byte* keys, std::byte* values, std::int32_t* positions) const;

  int kept(int layer, int kv_head) const;
  /// Mean of kept(), encoded and other rows over layers and heads, rounded up: the basis of load and question costs.
  int kept_mean(std::size_t other_rows = 0) const;
  std::size_t kept_rows() const;   // sum of kept() over layers and heads
  std::size_t dead_slots() const;  // written slots in held blocks whose token is gone; over layers and heads
  /// Pages of a layer: a page is the blocks of all its heads at one table index; the longest table counts.
  int pages(int layer) const;
  /// Original positions are 0 to sequence_length()-1; the next token gets sequence_length().
  std::int32_t sequence_length() const { return sequence_length_; }
  void set_sequence_length(std::int32_t tokens) { sequence_length_ = tokens; }

  /// Encoded rows before all others, read only by attention: kept(), keep(), evict() and row copies exclude them.
  /// Copies by share() share them; clear() drops them.
  void set_encoded(std::shared_ptr<EncodedRows> rows) { encoded_ = std::move(rows); }
  const std::shared_ptr<EncodedRows>& encoded() const { return encoded_; }

  /// Device-resident rows of this cache (core/model/model_device.h); null: none. Copies by share() share them; a copy
  /// that changes drops them. They may include rows that exist only on the device.
  const std::shared_ptr<DeviceResidency>& device_rows() const { return device_rows_->rows; }
  bool shares_device_rows() const { return device_rows_.use_count() > 1; }
  /// For this cache and its copies.
  void set_device_rows(std::shared_ptr<DeviceResidency> rows) { device_rows_->rows = std::move(rows); }
  /// For this cache alone.
  void set_own_device_rows(std::shared_ptr<DeviceResidency> rows) {
    device_rows_ = std::make_shared<SharedDeviceRows>(std::move(rows));
  }

  /// Bytes of kept keys and values.
  std::size_t payload_bytes() const;
  /// Bytes of the blocks held, including padding and positions, and of encoded rows; a block shared with another cache
  /// counts in both.
  std::size_t held_bytes() const;
  /// Change counter: a plan made before a change must not be executed after it.
  std::uint64_t revision() const { return revision_; }
  const KvShape& shape() const { return pool_->shape(); }
  BlockPool& pool() const { return *pool_; }

  /// A second cache over the same blocks (reference-counted); a write to either copies the block first.
  KvCache share() const;

 private:
  // blocks.size() is always used / block_tokens, rounded up; a head without tokens has no block.
  struct Head {
    std::vector<BlockId> blocks;
    std::vector<std::int32_t> row_slots;  // [kept], see HeadView; empty: dense, then used == kept
    int kept = 0;
    int used = 0;
  };
  struct SharedDeviceRows {  // by this cache and its unchanged copies
    std::shared_ptr<DeviceResidency> rows;
  };
  struct RowSource;
  struct Gather;
  friend Expected<CompactionReport> commit(KvCache& cache, const CompactionPlan& plan, const Clock& clock);

  Status append_rows(int layer, int first_head, int heads, const RowSource& source);
  void own_tail(Head& head, BlockId fresh);
  bool tail_is_shared(const Head& head) const;
  Expected<std::vector<BlockId>> allocate(std::size_t blocks);
  Gather plan_gather(const Head& head, std::span<const std::int32_t> kept) const;
  HeadLayout layout_of(const Head& head, std::span<const std::int32_t> kept, const Gather& gather,
                       std::vector<BlockId>& spare, std::vector<SlotCopy>&& scratch) const;
  void move_rows(const Head& head, const HeadLayout& layout, bool past_caches);
  void take(Head& head, HeadLayout&& layout);
  void shorten(Head& head, int kept);
  HeadView view(const Head& head) const;
  void changed();
  Head& at(int layer, int kv_head);
  const Head& at(int layer, int kv_head) const;

  BlockPool* pool_;
  std::vector<Head> heads_;               // [layers * kv_heads]
  std::shared_ptr<EncodedRows> encoded_;  // null: none
  std::shared_ptr<SharedDeviceRows> device_rows_ = std::make_shared<SharedDeviceRows>();
  std::int32_t sequence_length_ = 0;
  std::uint64_t revision_ = 0;
};

}  // namespace kvantage::inline kv
