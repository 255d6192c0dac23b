// The KV cache of one sequence on a device, as the host knows it: blocks and kept rows of every head. The rows lie in
// the arena, dense: what a host cache has lost or marked dead is not copied. Kernels read the tables of cache_tables.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/model/cache_arena.h"
#include "gpu/model/device_guard.h"

namespace kvantage::gpu {

class DeviceCache {
 public:
  explicit DeviceCache(std::shared_ptr<CacheArena> arena);
  ~DeviceCache();
  DeviceCache(const DeviceCache&) = delete;
  DeviceCache& operator=(const DeviceCache&) = delete;

  struct Head {
    std::vector<std::int32_t> blocks;
    int kept = 0;
  };
  const Head& head(int layer, int kv_head) const { return heads_[index(layer, kv_head)]; }
  /// Most rows of any head, and those of one layer.
  int longest() const;
  int longest(int layer) const;
  /// All heads of a layer keep as many.
  bool uniform(int layer) const;
  bool empty() const { return longest() == 0; }
  std::size_t held_bytes() const;
  /// The next token's original position.
  std::int32_t sequence_length() const { return sequence_length_; }
  /// From here on every head has the row of every token: it was computed here.
  std::int32_t computed_from() const { return computed_from_; }

  /// A second cache over the same blocks; whoever appends has a copy of a block that is not full made first, in the
  /// stream that computes.
  std::unique_ptr<DeviceCache> fork(const DeviceStreams& streams) const;
  /// Blocks for so many tokens more in every head. no_space: nothing is taken.
  Status reserve(int tokens);
  /// `tokens` rows were written behind those of every head, at the next positions.
  void advance(int tokens);
  /// Room for kept[layer * kv_heads + kv_head] rows in heads that have none, of a context of so many tokens; they count
  /// as kept. no_space: nothing is taken.
  Status lay_out(const std::vector<int>& kept, std::int32_t sequence_length);
  /// The same of one layer, kept: [kv_heads]; the cache is what lay_out() makes it once all layers and the length are
  /// known.
  Status lay_out_layer(int layer, std::span<const int> kept);
  void set_length(std::int32_t sequence_length);
  /// The rows of the newest `tokens` tokens go, which every head has.
  void take_back(int tokens) { advance(-tokens); }

  /// Changes with everything that tables hold.
  std::uint64_t revision() const { return revision_; }
  CacheArena& arena() const { return *arena_; }
  /// Where the rows of each layer are there, while they are being copied: [layers].
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
};

}  // namespace kvantage::gpu
