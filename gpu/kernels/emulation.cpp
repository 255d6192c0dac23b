#include "gpu/kernels/emulation.h"

#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

namespace kvantage::emulation {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;

struct Copy {
  void* to;
  const void* from;  // null: zeros
  std::size_t bytes;
};

struct Fiber {
  ucontext_t context;
  std::unique_ptr<std::byte[]> stack;
  dim3 index;
  unsigned rank = 0;  // within its block
  bool done = false;
  std::uint64_t barriers = 0, exchanges = 0;  // barriers and exchanges reached so far
  std::vector<Copy> open;                     // of the open group
  std::deque<std::vector<Copy>> groups;       // closed, but not yet completed
};

struct Warp {
  Lanes slots[2];  // of this exchange and the previous one
  std::uint64_t exchanges = 0;
  std::uint32_t arrived = 0, mask = 0;
};

/// One block at a time.
struct Block {
  dim3 grid, block, index;
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::vector<unsigned char> shared;
  ucontext_t scheduler;
  Fiber* running = nullptr;
  std::uint64_t barriers = 0;
  std::size_t met = 0, left = 0;
  std::uint64_t steps = 0;  // arrivals and exits: increases whenever any thread makes progress
  const std::function<void()>* body = nullptr;
};
Block* here = nullptr;

void yield_fiber() { ::swapcontext(&here->running->context, &here->scheduler); }

void enter() {
  Fiber& fiber = *here->running;
  (*here->body)();
  if (!fiber.open.empty() || !fiber.groups.empty()) undefined("a thread ends without waiting for its copies");
  fiber.done = true;
  --here->left;
  ++here->steps;
  yield_fiber();
}

void run_block() {
  Block& block = *here;
  block.left = block.fibers.size();
  for (Fiber& fiber : block.fibers) {
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    ::makecontext(&fiber.context, enter, 0);
    fiber.done = false;
  }
  // In rounds; a round without progress means a barrier that some thread never reaches.
  while (block.left > 0) {
    const std::uint64_t before = block.steps;
    for (Fiber& fiber : block.fibers) {
      if (fiber.done) continue;
      block.running = &fiber;
      ::swapcontext(&block.scheduler, &fiber.context);
    }
    if (block.steps == before)
      undefined("deadlock: a barrier or warp exchange is in a branch that some threads never take");
  }
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
  Block state;
  Block* const outer = here;
  here = &state;
  state.grid = grid;
  state.block = block;
  state.body = &body;
  state.shared.resize(shared_bytes + 16);
  state.fibers.resize(threads);
  state.warps.resize((threads + 31) / 32);
  for (std::size_t t = 0; t < threads; ++t) {
    Fiber& fiber = state.fibers[t];
    fiber.rank = static_cast<unsigned>(t);
    fiber.index = dim3(fiber.rank % block.x, fiber.rank / block.x % block.y, fiber.rank / (block.x * block.y));
    fiber.stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);  // zeroing would clear 16 MiB per launch
  }
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        state.index = dim3(x, y, z);
        run_block();
      }
  here = outer;
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
  if (block.left != block.fibers.size()) undefined("a barrier after some threads of the block have ended");
  const std::uint64_t mine = block.barriers;
  ++block.steps;
  if (++block.met == block.fibers.size()) {
    block.met = 0;
    ++block.barriers;
  }
  while (block.barriers == mine) yield_fiber();
}

const Lanes& exchange(std::uint32_t mask, const void* value, std::size_t bytes) {
  Fiber& fiber = *here->running;
  Warp& warp = here->warps[fiber.rank / 32];
  const unsigned own = fiber.rank % 32;
  if ((mask >> own & 1U) == 0) undefined("a lane exchanges with a mask that it is not in");
  if (bytes > 64) undefined("more than 64 bytes per lane");
  const std::size_t first = fiber.rank - own;
  for (std::size_t l = 0; l < 32; ++l)
    if ((mask >> l & 1U) != 0 && (first + l >= here->fibers.size() || here->fibers[first + l].done))
      undefined("a lane of the mask has exited or does not exist");
  const std::uint64_t mine = warp.exchanges;
  if (warp.arrived == 0) warp.mask = mask;
  if (warp.mask != mask) undefined("lanes exchange with different masks");
  Lanes& slots = warp.slots[mine % 2];
  std::memcpy(slots[own], value, bytes);
  warp.arrived |= 1U << own;
  ++here->steps;
  if (warp.arrived == mask) {
    warp.arrived = 0;
    ++warp.exchanges;
  }
  while (warp.exchanges == mine) yield_fiber();
  return slots;
}

void copy_later(void* to, const void* from, std::size_t bytes, bool there) {
  if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
      (there && reinterpret_cast<std::uintptr_t>(from) % bytes != 0))
    undefined("a copy between addresses that are not aligned to 16 bytes");
  here->running->open.push_back({to, there ? from : nullptr, bytes});
}

void close_group() {
  Fiber& fiber = *here->running;
  fiber.groups.push_back(std::move(fiber.open));
  fiber.open.clear();
}

void wait_for_groups(int but) {
  Fiber& fiber = *here->running;
  while (fiber.groups.size() > static_cast<std::size_t>(but)) {
    for (const Copy& copy : fiber.groups.front()) {
      if (copy.from == nullptr)
        std::memset(copy.to, 0, copy.bytes);
      else
        std::memcpy(copy.to, copy.from, copy.bytes);
    }
    fiber.groups.pop_front();
  }
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
  const std::array<std::uint32_t, 6> mine{a[0], a[1], a[2], a[3], b[0], b[1]};
  const auto& lanes = emulation::exchange(0xffffffffU, mine.data(), sizeof(mine));
  const auto all = [&](unsigned lane) { return emulation::from_lane<std::array<std::uint32_t, 6>>(lanes, lane); };
  const unsigned lane = emulation::lane(), group = lane / 4, t = lane % 4;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = group + (i >= 2 ? 8 : 0), column = 2 * t + i % 2;
    float sum = d[i];
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned within = k % 8, upper_half = k / 8;
      const auto left = all((row % 8) * 4 + within / 2), right = all(column * 4 + within / 2);
      sum += half_of(left[(row >= 8 ? 1U : 0U) + 2 * upper_half], within % 2 != 0) *
             half_of(right[4 + upper_half], within % 2 != 0);
    }
    d[i] = sum;
  }
}

void load_tiles(std::uint32_t (&r)[4], const void* row) { tiles(r, row, false); }
void load_tiles_transposed(std::uint32_t (&r)[4], const void* row) { tiles(r, row, true); }

}  // namespace kvantage::gpu
