// Compaction: plans as core makes them (repack, staged where rows are out of order; hole filling), the kernel against
// its reference byte for byte, and after either every head holds in logical order what it held before.
#include "gpu/kernels/compact.h"

#include <set>

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Plan {
  std::vector<std::int32_t> from, to, first_copy{0}, first_staged, slots_after, blocks_after, first_block_after;
  std::size_t staged_rows = 0;

  void end_head(bool staged) {
    first_staged.push_back(staged ? static_cast<std::int32_t>(staged_rows) : -1);
    if (staged) staged_rows += from.size() - static_cast<std::size_t>(first_copy.back());
    first_copy.push_back(static_cast<std::int32_t>(from.size()));
  }
  gpu::SlotMoves of(const RaggedHeads& heads) const {
    gpu::SlotMoves moves{heads.host, heads.host, from.data(), to.data(), first_copy.data(), first_staged.data()};
    moves.before.slots = moves.after.slots = nullptr;
    moves.after.blocks = blocks_after.data();
    moves.after.first_block = first_block_after.data();
    return moves;
  }
};

int blocks_of(const RaggedHeads& heads, std::size_t head) {
  const auto end = head + 1 < heads.first_block.size() ? heads.first_block[head + 1]
                                                       : static_cast<std::int32_t>(heads.blocks.size());
  return end - heads.first_block[head];
}

/// Logical order to slots 0, 1, ...; or the last `newest` tokens to the lowest dead slots before them. Tables keep only
/// blocks with rows.
Plan plan_of(const RaggedHeads& heads, bool repack, int newest) {
  Plan plan;
  const int block_tokens = heads.host.block_tokens;
  for (std::size_t head = 0; head < heads.kept.size(); ++head) {
    const auto kept = static_cast<std::size_t>(heads.kept[head]);
    const auto begin = heads.slots.begin() + heads.first_slot[head];
    std::vector<std::int32_t> slots(begin, begin + static_cast<std::ptrdiff_t>(kept));
    std::vector<std::pair<std::int32_t, std::int32_t>> copies;
    bool staged = false;
    if (repack) {
      for (std::size_t i = 0; i < kept; ++i) {
        staged = staged || (i > 0 && slots[i] < *(begin + static_cast<std::ptrdiff_t>(i) - 1));
        if (slots[i] != static_cast<std::int32_t>(i)) copies.emplace_back(slots[i], i);
        slots[i] = static_cast<std::int32_t>(i);
      }
    } else {
      const std::set<std::int32_t> live(slots.begin(), slots.end());
      std::vector<std::size_t> rows;
      for (std::size_t i = kept - std::min(kept, static_cast<std::size_t>(newest)); i < kept; ++i) rows.push_back(i);
      std::ranges::sort(rows, [&](std::size_t a, std::size_t b) { return slots[a] > slots[b]; });
      std::vector<std::int32_t> holes;
      for (std::int32_t slot = 0; holes.size() < rows.size() && slot < slots[rows[holes.size()]]; ++slot)
        if (!live.contains(slot)) holes.push_back(slot);
      rows.resize(holes.size());
      std::ranges::sort(rows);
      for (std::size_t n = 0; n < rows.size(); ++n) {
        copies.emplace_back(slots[rows[n]], holes[n]);
        slots[rows[n]] = holes[n];
      }
    }
    std::vector<std::int32_t> shift(static_cast<std::size_t>(blocks_of(heads, head)));
    plan.first_block_after.push_back(static_cast<std::int32_t>(plan.blocks_after.size()));
    for (std::int32_t block = 0, gone = 0; block < blocks_of(heads, head); ++block) {
      shift[static_cast<std::size_t>(block)] = gone;
      if (std::ranges::any_of(slots, [&](std::int32_t slot) { return slot / block_tokens == block; }))
        plan.blocks_after.push_back(heads.blocks[static_cast<std::size_t>(heads.first_block[head] + block)]);
      else
        gone += block_tokens;
    }
    for (const auto& [from, to] : copies) {
      plan.from.push_back(from);
      plan.to.push_back(to - shift[static_cast<std::size_t>(to / block_tokens)]);
    }
    for (const std::int32_t slot : slots)
      plan.slots_after.push_back(slot - shift[static_cast<std::size_t>(slot / block_tokens)]);
    plan.end_head(staged);
  }
  return plan;
}

/// What each head holds, in logical order.
std::vector<std::int32_t> contents(const gpu::PagedHeads& heads) {
  std::vector<std::int32_t> all;
  for (int head = 0; head < heads.heads; ++head)
    for (int token = 0; token < heads.kept[head]; ++token) {
      all.push_back(*heads.position(head, token));
      for (int i = 0; i < heads.head_dim; ++i)
        all.push_back(heads.key(head, token)[i] << 16 | heads.value(head, token)[i]);
    }
  return all;
}

void check_plan(RaggedHeads heads, const Plan& plan, const std::string& what) {
  heads.point();
  const std::vector<std::int32_t> before = contents(heads.host);
  const auto there = heads.on_device();
  const auto of = [](const std::vector<std::int32_t>& numbers) {
    return value_of(gpu::DeviceArray<std::int32_t>::of(numbers));
  };
  const auto from = of(plan.from), to = of(plan.to), first_copy = of(plan.first_copy),
             first_staged = of(plan.first_staged), blocks = of(plan.blocks_after), firsts = of(plan.first_block_after);
  gpu::SlotMoves moves{there.heads, there.heads, from.data(), to.data(), first_copy.data(), first_staged.data()};
  moves.before.slots = moves.after.slots = nullptr;
  moves.after.blocks = blocks.data();
  moves.after.first_block = firsts.data();
  const auto staging =
      value_of(gpu::DeviceArray<unsigned char>::zeros(gpu::staging_bytes(heads.host.head_dim, plan.staged_rows)));
  must(gpu::launch_compact(moves, staging.data(), plan.staged_rows, nullptr));
  must(gpu::synchronize());

  must(gpu::check_moves(plan.of(heads)));
  gpu::compact_reference(plan.of(heads));
  check(value_of(there.arena.numbers()) == heads.arena, "the kernel's arena, " + what);
  gpu::PagedHeads after = heads.host;
  after.blocks = plan.blocks_after.data();
  after.first_block = plan.first_block_after.data();
  after.slots = plan.slots_after.data();
  check(contents(after) == before, "what heads hold, " + what);
}

}  // namespace

int main() {
  need_device();
  Random random(16);
  for_ragged_shapes(random, [](const RaggedHeads& heads, const std::string& shape) {
    if (heads.host.slots == nullptr) return;
    check_plan(heads, plan_of(heads, true, 0), "repack, " + shape);
    check_plan(heads, plan_of(heads, false, 40), "hole filling, " + shape);
  });
  // More copies than a block holds at once: in pieces, and staged.
  for (const Rows rows : {Rows::holes, Rows::scrambled}) {
    RaggedHeads heads = ragged_heads(random, 128, 16, {300, 64, 65, 500}, rows);
    heads.point();
    const Plan plan = plan_of(heads, true, 0);
    check(plan.from.size() > 800 && (plan.staged_rows > 800) == (rows == Rows::scrambled), "a plan of long heads");
    check_plan(heads, plan, "long heads");
    check_plan(heads, plan_of(heads, false, 400), "hole filling in long heads");
  }
  // A plan that would overwrite a row before it is read is reported.
  RaggedHeads heads = ragged_heads(random, 32, 16, {4}, Rows::holes);
  heads.point();
  Plan wrong;
  wrong.from = {0, 1};
  wrong.to = {1, 2};
  wrong.blocks_after = heads.blocks;
  wrong.first_block_after = heads.first_block;
  wrong.end_head(false);
  check(!gpu::check_moves(wrong.of(heads)), "a row read after it was written over");
  wrong.first_staged = {0};
  check(gpu::check_moves(wrong.of(heads)).has_value(), "which is right where it is staged");
  return end();
}
