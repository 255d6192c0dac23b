#include "tiers/buffer_pool.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/units.h"
#include "tiers/mapped_memory.h"

namespace kvantage::inline tiers {

namespace {

constexpr std::size_t first_registered_bytes = std::size_t{4} << 20;

}  // namespace

struct BufferPool::State {
  State(std::size_t limit, Pin how_to_pin) : limit_bytes(limit), pin(std::move(how_to_pin)) {}

  // First fit: low addresses are reused, high ones are rarely touched.
  std::span<std::byte> take(std::size_t bytes) {
    const auto run = std::find_if(free.begin(), free.end(), [&](const auto& item) { return item.second >= bytes; });
    if (run == free.end()) return {};
    const auto [offset, length] = *run;
    free.erase(run);
    if (length > bytes) free.emplace(offset + bytes, length - bytes);
    leased_bytes += bytes;
    return memory.bytes().subspan(offset, bytes);
  }

  void give(std::span<std::byte> bytes) {
    leased_bytes -= bytes.size();
    auto here = free.emplace(static_cast<std::size_t>(bytes.data() - memory.data()), bytes.size()).first;
    if (const auto next = std::next(here); next != free.end() && here->first + here->second == next->first) {
      here->second += next->second;
      free.erase(next);
    }
    if (here != free.begin()) {
      const auto previous = std::prev(here);
      if (previous->first + previous->second == here->first) {
        previous->second += here->second;
        free.erase(here);
      }
    }
  }

  // Huge page by huge page, from the front: everything below was touched before.
  Status touch_up_to(std::size_t end) {
    if (end <= touched_bytes) return {};
    const std::size_t until = std::min((end + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes, memory.size());
    KV_TRY(MappedMemory::prefault(memory.bytes().subspan(touched_bytes, until - touched_bytes)));
    touched_bytes = until;
    register_touched();
    return {};
  }

  // Each part is as long as all before it: a ring has few slots.
  void register_touched() {
    const std::size_t end = std::min(touched_bytes, max_registered_bytes);
    if (devices.empty() || end < std::max(first_registered_bytes, 2 * registered_bytes)) return;
    const auto part = memory.bytes().subspan(registered_bytes, end - registered_bytes);
    std::erase_if(devices, [&](const std::shared_ptr<FileDevice>& device) {
      auto handle = device->register_memory(part, false);
      const bool refused = handle == nullptr;
      if (!refused) registrations.push_back(std::move(handle));
      return refused;
    });
    registered_bytes = end;
  }

  const std::size_t limit_bytes;
  const Pin pin;
  mutable std::mutex mutex;
  MappedMemory memory;                               // mapped at the first lease, with the size of the limit
  std::shared_ptr<void> pinned;                      // released before the memory
  std::vector<std::shared_ptr<FileDevice>> devices;  // that take registrations
  std::vector<std::shared_ptr<void>> registrations;  // released before the memory
  std::size_t registered_bytes = 0, max_registered_bytes = 0;
  std::map<std::size_t, std::size_t> free;  // runs by offset, neighbors merged
  std::size_t leased_bytes = 0;
  std::size_t touched_bytes = 0;
};

class BufferPool::Lease final : public LeasedBuffer {
 public:
  Lease(std::shared_ptr<State> state, std::span<std::byte> bytes) : state_(std::move(state)), bytes_(bytes) {}
  ~Lease() override {
    const std::lock_guard lock(state_->mutex);
    state_->give(bytes_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::shared_ptr<State> state_;
  std::span<std::byte> bytes_;
};

BufferPool::BufferPool(std::size_t limit_bytes, Pin pin)
    : state_(std::make_shared<State>(limit_bytes, std::move(pin))) {}
BufferPool::~BufferPool() = default;

void BufferPool::register_with(std::vector<std::shared_ptr<FileDevice>> devices, std::size_t max_bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->devices = std::move(devices);
  state_->max_registered_bytes = max_bytes;
}

Expected<std::unique_ptr<LeasedBuffer>> BufferPool::lease(std::size_t bytes) {
  if (bytes == 0 || bytes > state_->limit_bytes || round_up_to_page(bytes) > state_->limit_bytes)
    return fail(ErrorCode::rejected_input, "transfer buffer: " + format_bytes(bytes) + " do not fit into a pool of " +
                                               format_bytes(state_->limit_bytes) + "; read in smaller extents");
  const std::lock_guard lock(state_->mutex);
  if (state_->memory.data() == nullptr) {
    KV_ASSIGN(auto mapped, MappedMemory::map(round_down_to_page(state_->limit_bytes), false));
    state_->memory = std::move(mapped);
    state_->free.emplace(0, state_->memory.size());
    if (state_->pin) {
      KV_TRY(state_->touch_up_to(state_->memory.size()));
      state_->pinned = state_->pin(state_->memory.bytes());
    }
  }
  const std::span<std::byte> piece = state_->take(round_up_to_page(bytes));
  if (piece.empty())
    return fail(ErrorCode::no_space, "transfer buffer: of " + format_bytes(state_->limit_bytes) +
                                         " too much is leased; wait for a completion");
  const auto end = static_cast<std::size_t>(piece.data() + piece.size() - state_->memory.data());
  if (const Status touched = state_->touch_up_to(end); !touched) {
    state_->give(piece);
    return tl::unexpected(touched.error());
  }
  return std::make_unique<Lease>(state_, piece);
}

std::size_t BufferPool::leased_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->leased_bytes;
}

std::size_t BufferPool::mapped_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->touched_bytes;
}

std::size_t BufferPool::limit_bytes() const { return state_->limit_bytes; }

}  // namespace kvantage::inline tiers
