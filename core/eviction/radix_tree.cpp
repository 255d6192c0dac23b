// SGLang's radix tree over prefix blocks. A node of the tree is an edge of blocks; a request that ends or branches
// within an edge splits it. Edges are not joined again.
#include <algorithm>
#include <vector>

#include "core/eviction/key_index.h"
#include "core/eviction/order.h"
#include "core/eviction/ranked_heap.h"
#include "core/eviction/trace_caches.h"

namespace kvantage::inline eviction {
namespace {

class RadixTree final : public SimulatedCache {
 public:
  explicit RadixTree(std::uint64_t capacity) : capacity_(capacity) {}

  void touch_blocks(std::span<const std::uint64_t> blocks, Reuse& reuse) override {
    ++now_;
    numbers_.clear();
    std::uint32_t number = KeyIndex::none;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i + 8 < blocks.size()) index_.prefetch(blocks[i + 8]);
      number = index_.number(blocks[i], number + 1);
      numbers_.push_back(number);
    }
    if (items_.size() < index_.size()) {
      items_.resize(std::max<std::size_t>(index_.size(), 2 * items_.size()));
      leaves_.grow(items_.size());
    }
    const std::size_t matched = match();
    reuse.units[0] = reuse.all = matched;
    insert(matched);
  }
  void touch_context(std::uint64_t, std::uint64_t, std::span<const double>, Reuse&) override {}
  std::uint64_t held(std::size_t) const override { return held_; }
  std::uint64_t written(std::size_t) const override { return written_; }
  std::uint64_t distinct() const override { return index_.size(); }

 private:
  static constexpr std::uint32_t none = KeyIndex::none;
  struct Item {
    std::uint64_t accessed = 0;
    std::uint32_t parent = none, next = none;  // next: the block that continues the edge
    std::uint32_t children = 0;
    bool is_held = false, begins_edge = false;
  };

  /// Blocks of the request that are held from the root on; they are accessed now, and no leaf while it runs.
  std::size_t match() {
    std::size_t matched = 0;
    std::uint32_t parent = none;
    for (; matched < numbers_.size(); ++matched) {
      const std::uint32_t number = numbers_[matched];
      Item& item = items_[number];
      if (!item.is_held || item.parent != parent || item.accessed == now_) break;
      item.accessed = now_;
      parent = number;
    }
    if (parent == none) return matched;
    Item& last = items_[parent];
    if (last.next != none) {
      items_[last.next].begins_edge = true;
      last.next = none;
    }
    if (leaves_.holds(parent)) leaves_.remove(parent);
    return matched;
  }
  void insert(std::size_t matched) {
    std::uint32_t parent = matched > 0 ? numbers_[matched - 1] : none;
    const std::uint64_t wanted =
        std::min<std::uint64_t>(numbers_.size() - matched, capacity_ - std::min<std::uint64_t>(matched, capacity_));
    while (capacity_ - held_ < wanted && !leaves_.empty()) evict();
    for (std::size_t i = matched; i < numbers_.size() && held_ < capacity_; ++i) {
      const std::uint32_t number = numbers_[i];
      Item& item = items_[number];
      if (item.is_held) break;  // elsewhere in the tree: the ids are no prefixes
      item = {now_, parent, none, 0, true, i == matched};
      if (parent != none) {
        ++items_[parent].children;
        if (!item.begins_edge) items_[parent].next = number;
      }
      ++held_;
      ++written_;
      parent = number;
    }
    if (parent != none && items_[parent].children == 0) leaves_.put(parent, 0, items_[parent].accessed);
  }
  /// The edge of the leaf that was accessed longest ago; its parent may become a leaf.
  void evict() {
    std::uint32_t number = leaves_.first_free(NothingPinned{})->key;
    leaves_.remove(number);
    for (;;) {
      Item& item = items_[number];
      const std::uint32_t parent = item.parent;
      const bool last = item.begins_edge;
      item.is_held = false;
      --held_;
      if (parent != none) {
        --items_[parent].children;
        if (items_[parent].next == number) items_[parent].next = none;
      }
      if (last || parent == none) {
        if (parent != none && items_[parent].children == 0 && items_[parent].accessed != now_)
          leaves_.put(parent, 0, items_[parent].accessed);
        return;
      }
      number = parent;
    }
  }

  std::uint64_t capacity_, held_ = 0, written_ = 0, now_ = 0;
  KeyIndex index_;
  std::vector<Item> items_;  // by number
  RankedHeap<std::uint32_t> leaves_;
  std::vector<std::uint32_t> numbers_;  // of the running request
};

}  // namespace

std::unique_ptr<SimulatedCache> make_sglang_radix_cache(std::uint64_t capacity) {
  return std::make_unique<RadixTree>(capacity);
}

}  // namespace kvantage::inline eviction
