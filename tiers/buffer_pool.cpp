#include "tiers/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/units.h"
#include "tiers/mapped_memory.h"

namespace kvantage {

struct BufferPool::State {
  explicit State(std::size_t limit) : limit_bytes(limit) {}

  const std::size_t limit_bytes;
  mutable std::mutex mutex;
  std::map<std::size_t, std::vector<MappedMemory>> idle;  // by size class
  std::size_t leased_bytes = 0;
  std::size_t mapped_bytes = 0;
};

class BufferPool::Lease final : public LeasedBuffer {
 public:
  Lease(std::shared_ptr<State> state, MappedMemory memory, std::size_t asked)
      : state_(std::move(state)), memory_(std::move(memory)), asked_(asked) {}
  ~Lease() override {
    const std::lock_guard lock(state_->mutex);
    state_->leased_bytes -= memory_.size();
    state_->idle[memory_.size()].push_back(std::move(memory_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::span<std::byte> bytes() override { return memory_.bytes().first(asked_); }

 private:
  std::shared_ptr<State> state_;
  MappedMemory memory_;
  std::size_t asked_;
};

BufferPool::BufferPool(std::size_t limit_bytes) : state_(std::make_shared<State>(limit_bytes)) {}
BufferPool::~BufferPool() = default;

std::size_t BufferPool::class_bytes(std::size_t bytes) {
  const std::size_t step = std::max<std::size_t>(page_bytes, std::bit_floor(bytes) / 4);
  return (bytes + step - 1) / step * step;
}

Expected<std::unique_ptr<LeasedBuffer>> BufferPool::lease(std::size_t bytes) {
  const std::size_t wanted = class_bytes(bytes);
  if (bytes == 0 || wanted > state_->limit_bytes)
    return fail(ErrorCode::rejected_input, "transfer buffer: " + format_bytes(bytes) +
                                               " can never be lent by a pool of " + format_bytes(state_->limit_bytes) +
                                               "; read in smaller extents");
  MappedMemory memory;
  std::vector<MappedMemory> given_up;  // unmapped after the lock is gone
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->leased_bytes + wanted > state_->limit_bytes)
      return fail(ErrorCode::no_space,
                  "transfer buffer: all " + format_bytes(state_->limit_bytes) + " are lent; wait for a completion");
    if (auto found = state_->idle.find(wanted); found != state_->idle.end() && !found->second.empty()) {
      memory = std::move(found->second.back());
      found->second.pop_back();
    }
    if (memory.data() == nullptr) {
      // Idle memory of other classes makes room, the largest first.
      for (auto it = state_->idle.rbegin(); it != state_->idle.rend(); ++it)
        while (state_->mapped_bytes + wanted > state_->limit_bytes && !it->second.empty()) {
          state_->mapped_bytes -= it->first;
          given_up.push_back(std::move(it->second.back()));
          it->second.pop_back();
        }
      state_->mapped_bytes += wanted;
    }
    state_->leased_bytes += wanted;
  }
  given_up.clear();
  if (memory.data() == nullptr) {
    auto mapped = MappedMemory::map(wanted, true);
    if (!mapped) {
      const std::lock_guard lock(state_->mutex);
      state_->mapped_bytes -= wanted;
      state_->leased_bytes -= wanted;
      return tl::unexpected(std::move(mapped).error());
    }
    memory = std::move(*mapped);
  }
  return std::make_unique<Lease>(state_, std::move(memory), round_up_to_page(bytes));
}

std::size_t BufferPool::leased_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->leased_bytes;
}

std::size_t BufferPool::mapped_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->mapped_bytes;
}

std::size_t BufferPool::limit_bytes() const {
  return state_->limit_bytes;
}

}  // namespace kvantage
