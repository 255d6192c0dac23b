#include "core/kv/block_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <string>

#include "core/base/units.h"

namespace kvantage::inline kv {
namespace {

constexpr std::size_t cache_line = 64;  // also the width of one AVX-512 register
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t slab_target_bytes = std::size_t{8} << 20;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

std::size_t plane_bytes(const KvShape& shape, int block_tokens) {
  return round_up(static_cast<std::size_t>(block_tokens) * shape.bytes_per_row(), cache_line);
}

}  // namespace

struct BlockPool::Slab {
  Slab(std::size_t bytes, const std::function<void(std::span<std::byte>)>& touch)
      : memory(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{huge_page}, std::nothrow))) {
    if (memory == nullptr) return;
    // Attention and loads walk through blocks all over the slab: with 4 KiB pages they stall on address translation.
    // Advice only: everything works without huge pages.
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    if (touch)  // faults in every page now
      touch({memory, bytes});
    else
      std::memset(memory, 0, bytes);
  }
  ~Slab() { ::operator delete (memory, std::align_val_t{huge_page}); }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  std::byte* memory;
};

BlockPool::BlockPool(KvShape shape, int block_tokens, std::size_t capacity_bytes)
    : shape_(shape),
      block_tokens_(block_tokens),
      block_bytes_(2 * plane_bytes(shape, block_tokens) +
                   round_up(static_cast<std::size_t>(block_tokens) * sizeof(std::int32_t), cache_line)),
      capacity_blocks_(capacity_bytes / block_bytes_),
      blocks_per_slab_(std::max<std::size_t>(1, slab_target_bytes / block_bytes_)) {
  assert(shape.head_dim > 0 && block_tokens > 0 && block_tokens % 4 == 0);
}

BlockPool::~BlockPool() = default;

Expected<BlockId> BlockPool::allocate() {
  if (free_.empty()) {
    const std::size_t made = references_.size();
    if (made >= capacity_blocks_)
      return fail(ErrorCode::no_space, "KV memory: all " + std::to_string(capacity_blocks_) + " blocks (" +
                                           format_bytes(capacity_blocks_ * block_bytes_) +
                                           ") are in use; release or compress a cache, or raise its budget");
    const std::size_t blocks = std::min(blocks_per_slab_, capacity_blocks_ - made);
    auto slab = std::make_unique<Slab>(blocks * block_bytes_, touch_);
    if (slab->memory == nullptr)
      return fail(ErrorCode::no_space, "KV memory: the system gives no further " + format_bytes(blocks * block_bytes_) +
                                           "; lower the memory budget");
    slabs_.push_back(std::move(slab));
    references_.resize(made + blocks, 0);
    // Last in, first out: the lowest id is allocated first.
    for (std::size_t i = blocks; i > 0; --i) free_.push_back(static_cast<BlockId>(made + i - 1));
  }
  const BlockId block = free_.back();
  free_.pop_back();
  references_[static_cast<std::size_t>(block)] = 1;
  return block;
}

void BlockPool::retain(BlockId block) {
  assert(references(block) > 0);
  if (++references_[static_cast<std::size_t>(block)] == 2) ++shared_blocks_;
}

void BlockPool::release(BlockId block) {
  assert(references(block) > 0);
  const std::int32_t left = --references_[static_cast<std::size_t>(block)];
  if (left == 1) --shared_blocks_;
  if (left == 0) free_.push_back(block);
}

int BlockPool::references(BlockId block) const { return references_[static_cast<std::size_t>(block)]; }

std::byte* BlockPool::address(BlockId block) const {
  const auto index = static_cast<std::size_t>(block);
  return slabs_[index / blocks_per_slab_]->memory + index % blocks_per_slab_ * block_bytes_;
}

std::byte* BlockPool::keys(BlockId block) { return address(block); }
std::byte* BlockPool::values(BlockId block) { return address(block) + plane_bytes(shape_, block_tokens_); }
std::int32_t* BlockPool::positions(BlockId block) {
  return reinterpret_cast<std::int32_t*>(address(block) + 2 * plane_bytes(shape_, block_tokens_));
}
const std::byte* BlockPool::keys(BlockId block) const { return address(block); }
const std::byte* BlockPool::values(BlockId block) const { return address(block) + plane_bytes(shape_, block_tokens_); }
const std::int32_t* BlockPool::positions(BlockId block) const {
  return reinterpret_cast<const std::int32_t*>(address(block) + 2 * plane_bytes(shape_, block_tokens_));
}

std::size_t BlockPool::live_blocks() const { return references_.size() - free_.size(); }
std::size_t BlockPool::free_blocks() const { return capacity_blocks_ - live_blocks(); }
std::size_t BlockPool::capacity_blocks() const { return capacity_blocks_; }
std::size_t BlockPool::shared_blocks() const { return shared_blocks_; }

}  // namespace kvantage::inline kv
