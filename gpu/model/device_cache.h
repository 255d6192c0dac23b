// The host's view of one sequence's KV cache on a device: blocks and kept rows of every head. Rows in the arena are
// dense: dropped or dead rows of a host cache are not copied. Kernels read the tables of cache_tables.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ports/device_residency.h"
#include "gpu/model/cache_arena.h"
#include "gpu/model/device_guard.h"

namespace kvantage::gpu {

class DeviceCache final : public DeviceResidency {
 public:
  explicit DeviceCache(std::shared_ptr<CacheArena> arena);
  ~DeviceCache() override;

  struct Head {
    std::vector<std::int32_t> blocks;
    int kept = 0;
  };
  const Head& head(int layer, int kv_head) const { return heads_[index(layer, kv_head)]; }
  /// Maximum rows of any head, and for one layer.
  int longest() const;
  int longest(int layer) const;
  /// All heads of a layer keep the same number.
  bool uniform(int layer) const;
  bool empty() const { return longest() == 0; }
  const DeviceBlocks& blocks() const override { return arena_->blocks(); }
  std::size_t held_bytes() const override;
  std::int32_t sequence_length() const override { return sequence_length_; }
  std::vector<int> kept() const override;
  std::vector<std::uint64_t> addresses(int layer) const override;
  /// From this position on every head has every token's row: it was computed here.
  std::int32_t computed_from() const { return computed_from_; }

  /// A second cache over the same blocks; an append first copies a shared, partial block, in the compute stream.
  std::unique_ptr<DeviceCache> fork(const DeviceStreams& streams) const;
  /// Allocates blocks for this many more tokens in every head. no_space: without changes.
  Status reserve(int tokens);
  /// Records `tokens` rows appended to every head, at the next positions.
  void advance(int tokens);
  /// Allocates space for kept[layer * kv_heads + kv_head] rows in empty heads, for a context of so many tokens; the
  /// rows count as kept. no_space: without changes.
  Status lay_out(const std::vector<int>& kept, std::int32_t sequence_length);
  /// The same for one layer, kept: [kv_heads]; equals lay_out() once all layers and the length are set.
  Status lay_out_layer(int layer, std::span<const int> kept);
  void set_length(std::int32_t sequence_length);
  /// Keeps what its rows are copied from until they are there, which its destruction waits for.
  void hold(std::shared_ptr<const DeviceResidency> source) { source_ = std::move(source); }
  /// Drops the rows of the newest `tokens` tokens, which every head must have.
  void roll_back(int tokens) { advance(-tokens); }

  /// Changes with any content of the tables.
  std::uint64_t revision() const { return revision_; }
  CacheArena& arena() const { return *arena_; }
  /// Completion marks of each layer's rows during an upload: [layers].
  std::vector<CopyMark> copied;

 private:
  std::size_t index(int layer, int kv_head) const {
    return static_cast<std::size_t>(layer * arena_->kv_heads() + kv_head);
  }
  std::size_t blocks_of(int rows) const;
  std::int32_t* shared_tail(Head& head, int rows) const;
  Status give_room(const std::vector<int>& rows);

  std::shared_ptr<CacheArena> arena_;
  std::vector<Head> heads_;  // [layers * kv_heads]
  std::int32_t sequence_length_ = 0, computed_from_ = 0;
  std::uint64_t revision_ = 0;
  std::shared_ptr<const DeviceResidency> source_;
};

}  // namespace kvantage::gpu
