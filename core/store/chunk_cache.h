// Copies of chunks on the tiers above the one that holds contexts whole (whole_context_tier() in core/policy/policy.h):
// the cache of IMPRESS (Chen et al., FAST 2025). A chunk's score is its number of important tokens times the accesses
// of its context, here per byte, because parts have different sizes. A full tier takes a chunk only in place of chunks
// with lower scores. These are dropped, not written back. Engine thread only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/request/chunk_copies.h"
#include "core/runtime/catalog.h"
#include "core/store/tier_stack.h"

namespace kvantage::inline store {

class ChunkCache final : public ChunkCopies {
 public:
  /// Bytes in memory with writes in flight, beyond which no further chunk is admitted.
  static constexpr std::uint64_t max_bytes_in_flight = std::uint64_t{64} << 20;

  /// All must outlive this.
  ChunkCache(TierStack& tiers, const Catalog& catalog, const Clock& clock);
  /// Cancels writes in flight and waits for them. The copies stay; the next session erases them.
  ~ChunkCache() override;

  void note_access(const Digest128& entry) override;
  std::optional<RangeReads::Source> find(const ChunkId& id) override;
  void used(const ChunkId& id, int important_tokens, std::uint64_t bytes,
            const std::function<std::vector<std::byte>()>& make) override;
  void lost(const ChunkId& id) override;

  /// How many tiers, from the fastest on, may have copies: those above the one with whole contexts.
  std::size_t tiers() const;
  /// Takes completions of writes, and drops the lowest scores where a tier's capacity shrank, or all where the tier has
  /// no copies any more. Whether a tier's bytes changed and no write is in flight any more.
  bool poll();
  bool is_writing() const { return !writes_.empty(); }
  /// Drops every copy, for whoever else needs the space.
  void clear();

  /// Copies on a tier, writes in flight included.
  std::uint64_t bytes(std::size_t tier) const { return of_tiers_[tier].bytes; }
  std::size_t count(std::size_t tier) const { return of_tiers_[tier].by_score.size(); }

 private:
  struct Copy {
    std::size_t tier = 0;
    std::uint64_t bytes = 0;  // as stored
    double score = 0;
    Ticket write = 0;                                              // 0: done
    std::shared_ptr<const std::vector<std::byte>> in_flight = {};  // null: done
  };
  using Copies = std::map<Digest128, Copy>;
  struct OfTier {
    std::set<std::pair<double, Digest128>> by_score;
    std::uint64_t bytes = 0;
    std::uint64_t others = 0;  // bytes of whole entries, when the present request began
  };

  static Digest128 key_of(const ChunkId& id);
  bool admit(std::size_t tier, std::uint64_t bytes, double score);
  void write(std::size_t tier, const Digest128& key, double score, std::vector<std::byte> bytes);
  void rescore(Copies::iterator at, double score);
  void forget(Copies::iterator at);
  void erase(Copies::iterator at);

  TierStack& tiers_;
  const Catalog& catalog_;
  CompletionQueue completions_;
  std::vector<OfTier> of_tiers_;  // all but the last
  Copies copies_;
  std::map<Ticket, Digest128> writes_;  // in flight
  std::uint64_t bytes_in_flight_ = 0;
  std::map<Digest128, std::uint64_t> accesses_;  // by entry
  bool has_changed_ = false;
};

}  // namespace kvantage::inline store
