// vLLM's caches of prefix blocks: free blocks wait in queues until they are evicted or hit.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/eviction/key_index.h"
#include "core/eviction/trace_caches.h"

namespace kvantage::inline eviction {
namespace {

/// Blocks of one request leave the queues while it runs and return in reverse: its tail is older than its head. A block
/// behind the first miss that is still cached is taken as it is (vLLM computes it into a second block). What exceeds
/// the cache is not held. With one queue this is LRU.
class PrefixQueues final : public SimulatedCache {
 public:
  PrefixQueues(std::uint64_t capacity, bool by_workload) : capacity_(capacity), by_workload_(by_workload) {}

  void begin_request(double seconds, std::uint64_t workload) override {
    seconds_ = seconds;
    workload_ = by_workload_ ? category_of(workload) : 0;
  }
  void touch_blocks(std::span<const std::uint64_t> blocks, Reuse& reuse) override {
    ++request_;
    if (queues_.empty()) category_of(0);
    numbers_.clear();
    bool unbroken = true;
    std::uint32_t number = KeyIndex::none;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i + 8 < blocks.size()) index_.prefetch(blocks[i + 8]);
      number = index_.number(blocks[i], number + 1);
      if (number >= items_.size()) items_.resize(std::max<std::size_t>(1024, 2 * items_.size()));
      Item& item = items_[number];
      unbroken = unbroken && item.is_held;
      if (unbroken) {
        ++reuse.units[0];
        ++reuse.all;
      }
      note(item);
      if (item.request == request_) continue;  // twice in one request
      item.request = request_;
      item.offset = static_cast<std::uint32_t>(i);
      if (item.is_held) take_out(number);
      numbers_.push_back(number);
    }
    admit();
  }
  void touch_context(std::uint64_t, std::uint64_t, std::span<const double>, Reuse&) override {}
  std::uint64_t held(std::size_t) const override { return held_; }
  std::uint64_t written(std::size_t) const override { return written_; }
  std::uint64_t distinct() const override { return index_.size(); }

 private:
  static constexpr std::uint32_t none = KeyIndex::none;
  struct Item {
    double touched = -1;  // seconds; below 0: never
    std::uint64_t request = 0;
    std::uint32_t older = none, newer = none, offset = 0, queue = 0;
    bool is_held = false;
  };
  /// Blocks of one category of requests, and how they were reused.
  struct Queue {
    std::uint32_t oldest = none, newest = none;
    double touches = 0, reuses = 0, reuse_seconds = 0;
  };

  std::uint32_t category_of(std::uint64_t workload) {
    const auto [at, is_new] = categories_.try_emplace(workload, static_cast<std::uint32_t>(queues_.size()));
    if (is_new) queues_.emplace_back();
    return at->second;
  }
  /// A reuse counts for the category of the access before.
  void note(Item& item) {
    if (item.touched >= 0) {
      Queue& before = queues_[item.queue];
      ++before.reuses;
      before.reuse_seconds += seconds_ - item.touched;
    }
    if (item.request != request_ && !item.is_held) item.queue = workload_;
    ++queues_[workload_].touches;
    item.touched = seconds_;
  }
  void take_out(std::uint32_t number) {
    Item& item = items_[number];
    Queue& queue = queues_[item.queue];
    (item.older == none ? queue.oldest : items_[item.older].newer) = item.newer;
    (item.newer == none ? queue.newest : items_[item.newer].older) = item.older;
    item.queue = workload_;
  }
  void put_newest(std::uint32_t number) {
    Item& item = items_[number];
    Queue& queue = queues_[item.queue];
    item.older = queue.newest;
    item.newer = none;
    (queue.newest == none ? queue.oldest : items_[queue.newest].newer) = number;
    queue.newest = number;
  }
  void admit() {
    std::size_t fits = 0;
    for (; fits < numbers_.size(); ++fits) {
      Item& item = items_[numbers_[fits]];
      if (item.is_held) continue;
      if (held_ >= capacity_ && !evict()) break;
      item.is_held = true;
      ++held_;
      ++written_;
    }
    for (std::size_t i = fits; i < numbers_.size(); ++i)  // the request exceeds the cache
      if (Item& item = items_[numbers_[i]]; item.is_held) {
        item.is_held = false;
        --held_;
      }
    for (std::size_t i = fits; i-- > 0;) put_newest(numbers_[i]);
  }
  bool evict() {
    std::uint32_t victim = none;
    double least = 0;
    for (const Queue& queue : queues_) {
      if (queue.oldest == none) continue;
      const double probability = queues_.size() > 1 ? reuse_probability(queue, items_[queue.oldest]) : 0;
      if (victim != none &&
          (probability > least || (probability == least && !goes_before(items_[queue.oldest], items_[victim]))))
        continue;
      victim = queue.oldest;
      least = probability;
    }
    if (victim == none) return false;
    const double stayed = seconds_ - items_[victim].touched;
    life_ = life_ < 0 ? stayed : 0.99 * life_ + 0.01 * stayed;
    const std::uint32_t queue = items_[victim].queue;
    take_out(victim);
    items_[victim].queue = queue;
    items_[victim].is_held = false;
    --held_;
    return true;
  }
  /// Of equal ones the block farther back in its prompt.
  static bool goes_before(const Item& a, const Item& b) {
    return a.offset != b.offset ? a.offset > b.offset : a.touched < b.touched;
  }
  /// P(reused within the time that blocks stay), by an exponential distribution of the reuse times of its category.
  double reuse_probability(const Queue& queue, const Item& item) const {
    const double share = (queue.reuses + 1) / (queue.touches + 2);
    const double rate = (queue.reuses + 1) / (queue.reuse_seconds + std::max(seconds_, 1.0));
    const double age = seconds_ - item.touched;
    const double later = life_ < 0 ? 0 : std::exp(-rate * (age + life_));
    return share * (std::exp(-rate * age) - later);
  }

  std::uint64_t capacity_, held_ = 0, written_ = 0, request_ = 0;
  bool by_workload_;
  KeyIndex index_;
  std::vector<Item> items_;                            // by number
  std::vector<Queue> queues_;                          // by category
  std::map<std::uint64_t, std::uint32_t> categories_;  // places in queues_
  std::vector<std::uint32_t> numbers_;                 // of the running request
  double seconds_ = 0, life_ = -1;                     // time in the cache until eviction; below 0: none was evicted
  std::uint32_t workload_ = 0;
};

}  // namespace

std::unique_ptr<SimulatedCache> make_vllm_lru_cache(std::uint64_t capacity) {
  return std::make_unique<PrefixQueues>(capacity, false);
}

std::unique_ptr<SimulatedCache> make_workload_aware_cache(std::uint64_t capacity) {
  return std::make_unique<PrefixQueues>(capacity, true);
}

}  // namespace kvantage::inline eviction
