#include <algorithm>
#include <vector>

#include "core/eviction/key_index.h"
#include "core/eviction/order.h"
#include "core/eviction/ranked_heap.h"
#include "core/eviction/trace_caches.h"

namespace kvantage::inline eviction {
namespace {

/// expect() numbers the touches of the whole trace; the i-th touch then finds its key's next one in next_[i].
class BeladyCache final : public SimulatedCache {
 public:
  explicit BeladyCache(std::uint64_t capacity) : capacity_(capacity) {}

  void expect(std::uint64_t key) override {
    const std::uint32_t number = index_.number(key), position = static_cast<std::uint32_t>(next_.size());
    if (number == last_.size()) last_.push_back(never);
    if (last_[number] != never) next_[last_[number]] = position;
    last_[number] = position;
    next_.push_back(never);
  }
  std::uint64_t expected() const override { return next_.size(); }

  void touch_blocks(std::span<const std::uint64_t> blocks, Reuse& reuse) override {
    bool unbroken = true;
    for (const std::uint64_t block : blocks) {
      std::uint64_t before = 0;
      unbroken = touch(block, 1, before) && unbroken;
      if (!unbroken) continue;
      ++reuse.units[0];
      ++reuse.all;
    }
  }
  void touch_context(std::uint64_t context, std::uint64_t size, std::span<const double>, Reuse& reuse) override {
    std::uint64_t before = 0;
    if (!touch(context, size, before)) return;
    reuse.units[0] = reuse.all = before;
  }
  std::uint64_t held(std::size_t) const override { return held_; }
  std::uint64_t written(std::size_t) const override { return written_; }
  std::uint64_t distinct() const override { return index_.size(); }

 private:
  static constexpr std::uint32_t never = 0xffffffffU;

  /// Whether it was held, with which size.
  bool touch(std::uint64_t key, std::uint64_t size, std::uint64_t& before) {
    const std::uint32_t number = index_.number(key);
    const std::uint32_t next = now_ < next_.size() ? next_[now_] : never;
    ++now_;
    if (sizes_.size() < index_.size()) {
      sizes_.resize(std::max<std::size_t>(2 * sizes_.size(), index_.size()), 0);
      heap_.grow(sizes_.size());
    }
    const bool hit = heap_.holds(number);
    if (hit) {
      before = sizes_[number];
      leave(number);
    }
    if (size > capacity_ || next == never) return hit;  // of no use any more
    const double rank = -static_cast<double>(next);     // the farthest first
    while (capacity_ - size < held_) {
      const auto farthest = heap_.first_free(NothingPinned{});
      if (farthest->rank >= rank) return hit;
      leave(farthest->key);
    }
    sizes_[number] = size;
    held_ += size;
    if (!hit || before != size) written_ += size;
    heap_.put(number, rank, 0);
    return hit;
  }
  void leave(std::uint32_t number) {
    heap_.remove(number);
    held_ -= sizes_[number];
  }

  std::uint64_t capacity_, held_ = 0, written_ = 0, now_ = 0;
  KeyIndex index_;
  std::vector<std::uint32_t> last_, next_;  // by number; by touch
  std::vector<std::uint64_t> sizes_;        // by number, of those that are held
  RankedHeap<std::uint32_t> heap_;
};

}  // namespace

std::unique_ptr<SimulatedCache> make_belady_cache(std::uint64_t capacity) {
  return std::make_unique<BeladyCache>(capacity);
}

}  // namespace kvantage::inline eviction
