#include "gpu/kernels/emulation.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// swapcontext() enters the kernel for the mask of signals, which takes ten times as long as what a thread does between
// two exchanges. Where stacks are switched by hand, longjmp() must not check that it only goes up one stack, so it is
// declared by its plain name, which _FORTIFY_SOURCE does not replace.
#define KV_PLAIN_JUMPS
extern "C" [[noreturn]] void kvantage_jump(jmp_buf to, int value) __asm__("_longjmp");
#endif

namespace kvantage::emulation {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;

/// A stack, and where it stopped; without one of its own, that of launch()'s caller. Threads that end without ever
/// waiting run on one stack, one after another, so a kernel without barriers never switches.
struct Fiber {
#ifdef KV_PLAIN_JUMPS
  jmp_buf stopped;
#else
  ucontext_t stopped;
#endif
  std::unique_ptr<std::byte[]> stack;
  bool begun = true;
};

struct Copy {
  void* to;
  const void* from;  // null: zeros
  std::size_t bytes;
};

struct Thread {
  dim3 index;
  unsigned rank = 0;  // within its block
  bool done = false;
  Fiber* fiber = nullptr;                  // null: not begun
  const std::uint64_t* awaited = nullptr;  // not null: waits until this is no longer `seen`
  std::uint64_t seen = 0;
  std::vector<Copy> copies;         // not yet completed, of the closed groups, then of the open one
  std::vector<std::size_t> groups;  // copies of each closed group
  std::size_t open = 0;
};

struct Warp {
  Lanes slots[2];  // of this exchange and the previous one
  std::uint64_t exchanges = 0;
  std::uint32_t arrived = 0, mask = 0;
  std::uint32_t present = 0;  // lanes that exist and have not ended
};

/// A launch: one block at a time.
struct Block {
  dim3 grid, block, index;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<unsigned char> shared;
  Fiber caller;
  Thread* running = nullptr;
  std::size_t at = 0;  // the running thread, or the one that may be next
  std::uint64_t barriers = 0;
  std::size_t met = 0, left = 0;
  std::uint64_t steps = 0, before = 0;  // arrivals and exits, now and when the round began: grows with any progress
  const std::function<void()>* body = nullptr;
};
Block* here = nullptr;
// Kept from launch to launch.
std::vector<std::unique_ptr<Fiber>> fibers;
std::vector<Fiber*> idle_fibers;
std::vector<std::unique_ptr<Block>> idle_blocks;

void run_threads();

void switch_fibers(Fiber& from, Fiber& to) {
  const bool begun = std::exchange(to.begun, true);
#ifdef KV_PLAIN_JUMPS
  if (_setjmp(from.stopped) != 0) return;
  if (begun) kvantage_jump(to.stopped, 1);
  ucontext_t entry;
#else
  ucontext_t& entry = to.stopped;
#endif
  if (!begun) {
    ::getcontext(&entry);
    entry.uc_stack.ss_sp = to.stack.get();
    entry.uc_stack.ss_size = stack_bytes;
    entry.uc_link = nullptr;
    ::makecontext(&entry, run_threads, 0);
  }
#ifdef KV_PLAIN_JUMPS
  ::setcontext(&entry);
#else
  ::swapcontext(&from.stopped, &to.stopped);
#endif
}

Fiber* take_fiber() {
  if (idle_fibers.empty()) {
    Fiber& fiber = *fibers.emplace_back(std::make_unique<Fiber>());
    fiber.stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);  // zeroing would touch all of it
    fiber.begun = false;
    return &fiber;
  }
  Fiber* const fiber = idle_fibers.back();
  idle_fibers.pop_back();
  return fiber;
}

void begin_block(Block& block) {
  const std::size_t threads = block.threads.size();
  block.left = threads;
  block.before = block.steps;
  block.at = 0;
  for (Thread& thread : block.threads) {
    thread.done = false;
    thread.fiber = nullptr;
  }
  for (std::size_t w = 0; w < block.warps.size(); ++w)
    block.warps[w].present = threads - w * 32 >= 32 ? 0xffffffffU : (1U << (threads - w * 32)) - 1;
}

bool next_index(dim3& index, const dim3& extent) {
  if (++index.x < extent.x) return true;
  index.x = 0;
  if (++index.y < extent.y) return true;
  index.y = 0;
  return ++index.z < extent.z;
}

/// The thread that runs next, null after the last of the grid. In rounds; a round without progress means a barrier that
/// some thread never reaches.
Thread* next_thread(Block& block) {
  for (;;) {
    for (; block.at < block.threads.size(); ++block.at) {
      Thread& thread = block.threads[block.at];
      if (!thread.done && (thread.awaited == nullptr || *thread.awaited != thread.seen)) return &thread;
    }
    if (block.left == 0) {
      if (!next_index(block.index, block.grid)) return nullptr;
      begin_block(block);
    } else {
      if (block.steps == block.before) {
        block.running = &*std::find_if(block.threads.rbegin(), block.threads.rend(),
                                       [](const Thread& thread) { return !thread.done; });
        undefined("deadlock: a barrier or warp exchange is in a branch that some threads never take");
      }
      block.before = block.steps;
      block.at = 0;
    }
  }
}

/// Until `counter`, now `seen`, has changed.
void wait_for_change(const std::uint64_t& counter, std::uint64_t seen) {
  if (counter != seen) return;
  Block& block = *here;
  Thread& self = *block.running;
  self.awaited = &counter;
  self.seen = seen;
  Thread& next = *next_thread(block);
  if (next.fiber == nullptr) next.fiber = take_fiber();
  block.running = &next;
  switch_fibers(*self.fiber, *next.fiber);
  self.awaited = nullptr;
}

void end_thread(Block& block) {
  Thread& thread = *block.running;
  if (!thread.copies.empty() || !thread.groups.empty()) undefined("a thread ends without waiting for its copies");
  thread.done = true;
  block.warps[thread.rank / 32].present &= ~(1U << thread.rank % 32);
  --block.left;
  ++block.steps;
}

/// What every stack runs: the thread that it was taken for, then those that have not begun.
void run_threads() {
  Fiber& fiber = *here->running->fiber;
  for (;;) {
    Block& block = *here;
    (*block.body)();
    end_thread(block);
    Thread* const next = next_thread(block);
    if (next != nullptr) block.running = next;
    if (next != nullptr && next->fiber == nullptr) {
      next->fiber = &fiber;
    } else {
      idle_fibers.push_back(&fiber);
      switch_fibers(fiber, next == nullptr ? block.caller : *next->fiber);
    }
  }
}

std::unique_ptr<Block> take_block(const dim3& extent) {
  std::unique_ptr<Block> taken;
  if (idle_blocks.empty()) {
    taken = std::make_unique<Block>();
  } else {
    taken = std::move(idle_blocks.back());
    idle_blocks.pop_back();
  }
  const std::size_t threads = std::size_t{extent.x} * extent.y * extent.z;
  taken->block = extent;
  taken->threads.resize(threads);
  taken->warps.resize((threads + 31) / 32);
  for (unsigned t = 0; t < threads; ++t) {
    taken->threads[t].rank = t;
    taken->threads[t].index = dim3(t % extent.x, t / extent.x % extent.y, t / (extent.x * extent.y));
  }
  return taken;
}

}  // namespace

void undefined(const char* what) {
  if (here != nullptr && here->running != nullptr)
    std::fprintf(stderr, "emulated kernel: %s (block %u,%u,%u, thread %u)\n", what, here->index.x, here->index.y,
                 here->index.z, here->running->rank);
  else
    std::fprintf(stderr, "emulated kernel: %s\n", what);
  std::abort();
}

void launch(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024) undefined("a block has 1 to 1,024 threads");
  if (std::size_t{grid.x} * grid.y * grid.z == 0) undefined("a grid without blocks");
  if (shared_bytes > std::size_t{227} << 10) undefined("more shared memory than a block has (227 KiB)");
  std::unique_ptr<Block> state = take_block(block);
  state->grid = grid;
  state->index = dim3(0, 0, 0);
  state->shared.assign(shared_bytes + 16, 0);
  state->body = &body;
  begin_block(*state);
  Block* const outer = std::exchange(here, state.get());
  state->running = next_thread(*state);
  state->running->fiber = take_fiber();
  switch_fibers(state->caller, *state->running->fiber);
  here = outer;
  idle_blocks.push_back(std::move(state));
}

unsigned char* dynamic_shared() {
  unsigned char* const begin = here->shared.data();
  return begin + (16 - reinterpret_cast<std::uintptr_t>(begin) % 16) % 16;
}

const dim3& thread_index() { return here->running->index; }
const dim3& block_index() { return here->index; }
const dim3& block_extent() { return here->block; }
const dim3& grid_extent() { return here->grid; }
unsigned lane() { return here->running->rank % 32; }

void barrier() {
  Block& block = *here;
  if (block.left != block.threads.size()) undefined("a barrier after some threads of the block have ended");
  const std::uint64_t mine = block.barriers;
  ++block.steps;
  if (++block.met == block.threads.size()) {
    block.met = 0;
    ++block.barriers;
  }
  wait_for_change(block.barriers, mine);
}

const Lanes& exchange(std::uint32_t mask, const void* value, std::size_t bytes) {
  Block& block = *here;
  const unsigned rank = block.running->rank, own = rank % 32;
  Warp& warp = block.warps[rank / 32];
  if ((mask >> own & 1U) == 0) undefined("a lane exchanges with a mask that it is not in");
  if (bytes > 64) undefined("more than 64 bytes per lane");
  if ((mask & ~warp.present) != 0) undefined("a lane of the mask has exited or does not exist");
  const std::uint64_t mine = warp.exchanges;
  if (warp.arrived == 0) warp.mask = mask;
  if (warp.mask != mask) undefined("lanes exchange with different masks");
  Lanes& slots = warp.slots[mine % 2];
  std::memcpy(slots[own], value, bytes);
  warp.arrived |= 1U << own;
  ++block.steps;
  if (warp.arrived == mask) {
    warp.arrived = 0;
    ++warp.exchanges;
  }
  wait_for_change(warp.exchanges, mine);
  return slots;
}

void copy_later(void* to, const void* from, std::size_t bytes, bool there) {
  if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
      (there && reinterpret_cast<std::uintptr_t>(from) % bytes != 0))
    undefined("a copy between addresses that are not aligned to 16 bytes");
  Thread& thread = *here->running;
  thread.copies.push_back({to, there ? from : nullptr, bytes});
  ++thread.open;
}

void close_group() {
  Thread& thread = *here->running;
  thread.groups.push_back(std::exchange(thread.open, 0));
}

void wait_for_groups(int but) {
  Thread& thread = *here->running;
  if (thread.groups.size() <= static_cast<std::size_t>(but)) return;
  const auto kept = thread.groups.end() - but;
  const auto end = thread.copies.begin() + std::accumulate(thread.groups.begin(), kept, std::ptrdiff_t{0});
  for (auto copy = thread.copies.begin(); copy != end; ++copy) {
    if (copy->from == nullptr)
      std::memset(copy->to, 0, copy->bytes);
    else
      std::memcpy(copy->to, copy->from, copy->bytes);
  }
  thread.copies.erase(thread.copies.begin(), end);
  thread.groups.erase(thread.groups.begin(), kept);
}

}  // namespace kvantage::emulation

namespace kvantage::gpu {
namespace {

float half_of(std::uint32_t pair, bool upper) {
  const std::uint32_t bits = upper ? pair & 0xffff0000U : pair << 16;
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

void tiles(std::uint32_t (&r)[4], const void* row, bool transposed) {
  if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0)
    emulation::undefined("a tile's row that is not aligned to 16 bytes");
  const auto& rows = emulation::exchange(0xffffffffU, row, 16);  // every lane publishes its row of eight
  const unsigned lane = emulation::lane(), at = lane / 4, column = 2 * (lane % 4);
  for (unsigned tile = 0; tile < 4; ++tile) {
    std::uint16_t pair[2];
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned of_row = transposed ? column + i : at, of_column = transposed ? at : column + i;
      std::memcpy(&pair[i], rows[tile * 8 + of_row] + of_column * sizeof(std::uint16_t), sizeof(std::uint16_t));
    }
    r[tile] = static_cast<std::uint32_t>(pair[1]) << 16 | pair[0];
  }
}

}  // namespace

void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  using Numbers = std::array<float, 12>;  // of a, then of b
  Numbers mine;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t upper = 0; upper < 2; ++upper) mine[2 * i + upper] = half_of(i < 4 ? a[i] : b[i - 4], upper != 0);
  const auto& lanes = emulation::exchange(0xffffffffU, mine.data(), sizeof(mine));
  const unsigned lane = emulation::lane(), group = lane / 4, t = lane % 4;
  float left[16][2], right[16][2];  // rows group and group + 8, columns 2 t and 2 t + 1
  for (unsigned pair = 0; pair < 4; ++pair) {
    const auto row = emulation::from_lane<Numbers>(lanes, group * 4 + pair),
               even = emulation::from_lane<Numbers>(lanes, 8 * t + pair),
               odd = emulation::from_lane<Numbers>(lanes, 8 * t + 4 + pair);
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned k = 8 * (i / 2) + 2 * pair + i % 2, of_row = 4 * (i / 2) + i % 2;
      left[k][0] = row[of_row], left[k][1] = row[of_row + 2];
      right[k][0] = even[8 + i], right[k][1] = odd[8 + i];
    }
  }
  for (unsigned k = 0; k < 16; ++k)
    for (unsigned i = 0; i < 4; ++i) d[i] += left[k][i / 2] * right[k][i % 2];
}

void load_tiles(std::uint32_t (&r)[4], const void* row) { tiles(r, row, false); }
void load_tiles_transposed(std::uint32_t (&r)[4], const void* row) { tiles(r, row, true); }

}  // namespace kvantage::gpu
