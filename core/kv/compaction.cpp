#include "core/kv/compaction.h"

#include <algorithm>
#include <utility>

#include "core/kv/row_copy.h"

namespace kvantage::inline kv {
namespace {

/// Rows of a head to move, in slots of its present table.
struct Moves {
  std::vector<std::int32_t> row_slots;  // of all rows after the move, logical order
  std::vector<SlotCopy> copies;
  bool staged = false;
};

bool is_own(const HeadView& head, std::int32_t slot) {
  return head.pool->references(head.blocks[static_cast<std::size_t>(slot / head.pool->block_tokens())]) == 1;
}

Moves repack_moves(const HeadView& head) {
  const int block_tokens = head.pool->block_tokens();
  Moves moves;
  std::int32_t target = 0, last_source = -1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(head.kept); ++i) {
    const std::int32_t source = head.slot(i);
    if (!is_own(head, source)) {
      moves.row_slots.push_back(source);
      continue;
    }
    while (!is_own(head, target)) target += block_tokens;  // skip to our own next block: target is at a block boundary
    if (source != target) moves.copies.push_back({source, target});
    moves.row_slots.push_back(target++);
    // While sources ascend, each is beyond its target; otherwise a row might be overwritten before it is read.
    moves.staged = moves.staged || source < last_source;
    last_source = source;
  }
  return moves;
}

Moves hole_fill_moves(const HeadView& head, std::int32_t round_start) {
  const int block_tokens = head.pool->block_tokens();
  Moves moves;
  std::vector<char> is_dead(static_cast<std::size_t>(head.used), 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(head.kept); ++i) {
    moves.row_slots.push_back(head.slot(i));
    is_dead[static_cast<std::size_t>(moves.row_slots.back())] = 0;
  }
  std::vector<std::size_t> newest;  // movable tokens of the round: the end of the logical order
  for (std::size_t i = moves.row_slots.size(); i-- > 0;) {
    const std::int32_t slot = moves.row_slots[i];
    if (head.pool->positions(head.blocks[static_cast<std::size_t>(slot / block_tokens)])[slot % block_tokens] <
        round_start)
      break;
    if (is_own(head, slot)) newest.push_back(i);
  }
  std::ranges::sort(newest, [&](std::size_t a, std::size_t b) { return moves.row_slots[a] > moves.row_slots[b]; });
  std::vector<std::int32_t> holes;
  for (std::int32_t slot = 0; slot < head.used && holes.size() < newest.size(); ++slot) {
    if (!is_dead[static_cast<std::size_t>(slot)] || !is_own(head, slot)) continue;
    if (slot > moves.row_slots[newest[holes.size()]]) break;
    holes.push_back(slot);
  }
  // Now every hole is before every row that moves: no copy order can overwrite a row. Assigning logical order to
  // ascending holes keeps the newest rows as ordered as possible.
  newest.resize(holes.size());
  std::ranges::sort(newest);
  for (std::size_t n = 0; n < newest.size(); ++n) {
    moves.copies.push_back({moves.row_slots[newest[n]], holes[n]});
    moves.row_slots[newest[n]] = holes[n];
  }
  return moves;
}

template <class PlanHead>
CompactionPlan plan_heads(const KvCache& cache, const CompactionScope& scope, std::uint64_t revision,
                          const PlanHead& plan_head) {
  CompactionPlan plan;
  plan.revision = revision;
  const int block_tokens = cache.pool().block_tokens();
  for (int l = scope.layer.value_or(0); l < (scope.layer ? *scope.layer + 1 : cache.shape().layers); ++l)
    for (int h = scope.kv_head.value_or(0); h < (scope.kv_head ? *scope.kv_head + 1 : cache.shape().kv_heads); ++h) {
      const HeadView head = cache.head(l, h);
      if (head.row_slots.empty()) continue;  // no holes and in order
      Moves moves = plan_head(head);
      HeadCompaction change{l, h, {head.blocks.begin(), head.blocks.end()}, {}};
      change.layout = settle(head.blocks, std::move(moves.row_slots), 0, block_tokens, std::move(moves.copies));
      change.layout.staged = moves.staged;
      for (const BlockId block : change.layout.released)
        if (cache.pool().references(block) == 1) ++plan.blocks_freed;
      plan.slot_copies += change.layout.copies.size();
      plan.heads.push_back(std::move(change));
    }
  return plan;
}

}  // namespace

CompactionPlan plan_repack(const KvCache& cache, const CompactionScope& scope) {
  return plan_heads(cache, scope, cache.revision(), repack_moves);
}

CompactionPlan plan_hole_fill(const KvCache& cache, const CompactionScope& scope, std::int32_t round_start) {
  return plan_heads(cache, scope, cache.revision(),
                    [round_start](const HeadView& head) { return hole_fill_moves(head, round_start); });
}

Expected<CompactionReport> commit(KvCache& cache, const CompactionPlan& plan, const Clock& clock) {
  const auto stale = [] {
    return fail(ErrorCode::internal, "compaction: the cache has changed since this was planned; plan again");
  };
  if (plan.revision != cache.revision()) return stale();
  for (const HeadCompaction& change : plan.heads) {
    if (!std::ranges::equal(cache.head(change.layer, change.kv_head).blocks, change.blocks_before)) return stale();
    for (const SlotCopy& copy : change.layout.copies) {
      const auto block = static_cast<std::size_t>(copy.to / cache.pool().block_tokens());
      if (cache.pool().references(change.layout.blocks[block]) != 1) return stale();
    }
  }
  const std::int64_t start = clock.monotonic_ns();
  CompactionReport report;
  const bool past_caches =
      exceeds_caches(plan.slot_copies, static_cast<std::size_t>(cache.shape().head_dim) * bytes_of(cache.shape().type));
  for (const HeadCompaction& change : plan.heads) {
    KvCache::Head& head = cache.at(change.layer, change.kv_head);
    cache.move_rows(head, change.layout, past_caches);
    for (const BlockId block : change.layout.released)
      if (cache.pool().references(block) == 1) ++report.blocks_freed;
    cache.take(head, HeadLayout(change.layout));
    report.slot_copies += change.layout.copies.size();
  }
  cache.changed();
  report.seconds = static_cast<double>(clock.monotonic_ns() - start) * 1e-9;
  return report;
}

}  // namespace kvantage::inline kv
