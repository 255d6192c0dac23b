// Further caches of one tier, as their published definitions describe them: libCacheSim's source for FIFO, LFU, GDSF
// and LHD, the paper for S3-FIFO and Belady's MIN, vLLM's and SGLang's source for prefix blocks. Nothing is shared with
// core/eviction but the generator of random numbers.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "core/base/random.h"
#include "tests/support/plain_orders.h"

namespace kvantage::test {

class PlainFifo final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  bool holds(std::uint64_t key) const override { return in(queue_, key); }

 private:
  void on_hit(std::uint64_t) override {}
  void on_miss(std::uint64_t key) override {
    while (weight(queue_) + size(key) > capacity_) pop(queue_);
    queue_.push_back(key);
  }
  Queue queue_;
};

/// Entries with a number; the lowest leaves, of equal ones the least recently requested.
class PlainRanked : public PlainCache {
 public:
  using PlainCache::PlainCache;
  bool holds(std::uint64_t key) const override { return entries_.contains(key); }

 protected:
  struct Entry {
    double rank = 0;
    std::uint64_t requested = 0, requests = 0;
  };
  virtual double rank_of(std::uint64_t key, std::uint64_t requests) const = 0;
  virtual void left(double /*rank*/) {}
  virtual bool newcomer_competes() const { return false; }

 private:
  void on_hit(std::uint64_t key) override {
    Entry& entry = entries_.at(key);
    ++entry.requests;
    entry.requested = ++now_;
    entry.rank = rank_of(key, entry.requests);
  }
  void on_miss(std::uint64_t key) override {
    if (newcomer_competes()) enter(key);
    while (held() + (newcomer_competes() ? 0 : size(key)) > capacity_) {
      auto lowest = entries_.begin();
      for (auto at = entries_.begin(); at != entries_.end(); ++at)
        if (at->second.rank < lowest->second.rank ||
            (at->second.rank == lowest->second.rank && at->second.requested < lowest->second.requested))
          lowest = at;
      left(lowest->second.rank);
      entries_.erase(lowest);
    }
    if (!newcomer_competes()) enter(key);
  }
  void enter(std::uint64_t key) { entries_[key] = {rank_of(key, 1), ++now_, 1}; }
  std::uint64_t held() const {
    std::uint64_t sum = 0;
    for (const auto& [key, entry] : entries_) sum += size(key);
    return sum;
  }
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t now_ = 0;
};

/// libCacheSim's LFU.
class PlainLfu final : public PlainRanked {
 public:
  using PlainRanked::PlainRanked;

 private:
  double rank_of(std::uint64_t, std::uint64_t requests) const override { return static_cast<double>(requests); }
};

/// libCacheSim's GDSF: priority of the last victim + frequency * 10^6 / size.
class PlainGdsfHits final : public PlainRanked {
 public:
  using PlainRanked::PlainRanked;

 private:
  double rank_of(std::uint64_t key, std::uint64_t requests) const override {
    return last_ + static_cast<double>(requests) * 1e6 / static_cast<double>(size(key));
  }
  void left(double rank) override { last_ = rank; }
  double last_ = 0;
};

/// Cherkasova 1998 with the seconds that a hit saves as its cost (here the size, so that H = L + frequency), and a
/// newcomer that competes.
class PlainGdsf final : public PlainRanked {
 public:
  using PlainRanked::PlainRanked;

 private:
  double rank_of(std::uint64_t, std::uint64_t requests) const override { return last_ + static_cast<double>(requests); }
  void left(double rank) override { last_ = std::max(last_, rank); }
  bool newcomer_competes() const override { return true; }
  double last_ = 0;
};

/// Yang et al. 2023, algorithm 1, with libCacheSim's choices: two requests in the small queue promote, nine tenths are
/// remembered, and newcomers also fill the main queue until something leaves.
class PlainS3Fifo final : public PlainCache {
 public:
  explicit PlainS3Fifo(std::uint64_t capacity)
      : PlainCache(capacity),
        small_capacity_(static_cast<std::uint64_t>(static_cast<double>(capacity) * 0.1)),
        ghost_capacity_(static_cast<std::uint64_t>(static_cast<double>(capacity) * 0.9)) {}
  bool holds(std::uint64_t key) const override { return in(small_, key) || in(main_, key); }

 private:
  void on_hit(std::uint64_t key) override { requests_[key] = std::min(requests_[key] + 1, 3); }
  void on_miss(std::uint64_t key) override {
    const bool returns = in(ghost_, key);
    erase(ghost_, key);
    while (weight(small_) + weight(main_) + size(key) > capacity_) {
      any_left_ = true;
      const bool of_main = weight(main_) > capacity_ - small_capacity_ || small_.empty();
      if (of_main ? !leave_main() && !leave_small() : !leave_small() && !leave_main()) break;
    }
    requests_[key] = 0;
    const bool filling = !any_left_ && weight(small_) >= small_capacity_;
    (returns || filling ? main_ : small_).push_back(key);
  }
  bool leave_small() {
    for (std::size_t left = small_.size(); left > 0; --left) {
      const std::uint64_t key = pop(small_);
      if (requests_[key] >= 2) {
        requests_[key] = 0;
        main_.push_back(key);
        continue;
      }
      if (size(key) <= ghost_capacity_) {
        while (weight(ghost_) + size(key) > ghost_capacity_) pop(ghost_);
        ghost_.push_back(key);
      }
      return true;
    }
    return false;
  }
  bool leave_main() {
    while (!main_.empty()) {
      const std::uint64_t key = pop(main_);
      if (requests_[key] == 0) return true;
      --requests_[key];
      main_.push_back(key);
    }
    return false;
  }
  std::uint64_t small_capacity_, ghost_capacity_;
  Queue small_, main_, ghost_;
  std::map<std::uint64_t, int> requests_;
  bool any_left_ = false;
};

/// LHD as libCacheSim has it from its authors, in tables of tags.
class PlainLhd final : public PlainCache {
 public:
  explicit PlainLhd(std::uint64_t capacity)
      : PlainCache(capacity), recent_(8, none), explorer_budget_(static_cast<std::int64_t>(0.01 * double(capacity))) {
    for (std::size_t c = 0; c < 16; ++c) {
      classes_.push_back({std::vector<float>(max_age, 0), std::vector<float>(max_age, 0), std::vector<float>(max_age)});
      for (std::size_t a = 0; a < max_age; ++a) classes_[c].density[a] = float(c + 1) / float(a + 1);
    }
  }
  bool holds(std::uint64_t key) const override { return indices_.contains(key); }

 private:
  static constexpr std::size_t max_age = 20'000;
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  struct Tag {
    std::uint64_t id, timestamp, last_hit_age, last_last_hit_age;
    std::int64_t size;
    bool explorer;
  };
  struct Class {
    std::vector<float> hits, evictions, density;
  };

  std::size_t age(const Tag& tag) const {
    return std::min<std::size_t>((timestamp_ - tag.timestamp) >> shift_, max_age - 1);
  }
  Class& class_of(const Tag& tag) {
    std::uint64_t hit_age = tag.last_hit_age + tag.last_last_hit_age;
    if (hit_age == 0) return classes_[15];
    std::size_t log = 0;
    while (hit_age < max_age && log < 15) {
      hit_age <<= 1;
      ++log;
    }
    return classes_[log];
  }
  float density(const Tag& tag) {
    if (age(tag) == max_age - 1) return std::numeric_limits<float>::lowest();
    const float found = class_of(tag).density[age(tag)] / static_cast<float>(tag.size);
    return tag.explorer ? found + 1.0F : found;
  }
  void on_hit(std::uint64_t key) override {
    Tag& tag = tags_[indices_.at(key)];
    class_of(tag).hits[age(tag)] += 1;
    if (tag.explorer) explorer_budget_ += tag.size;
    tag.last_last_hit_age = tag.last_hit_age;
    tag.last_hit_age = age(tag);
    update(tag, false);
  }
  void on_miss(std::uint64_t key) override {
    while (held_ + size(key) > capacity_) evict();
    held_ += size(key);
    indices_[key] = tags_.size();
    tags_.push_back({key, 0, 0, max_age, 1, false});
    update(tags_.back(), true);
  }
  void update(Tag& tag, bool insert) {
    tag.timestamp = timestamp_;
    tag.size = static_cast<std::int64_t>(size(tag.id));
    const bool explore = random_.below(32) == 0;
    tag.explorer = explore && explorer_budget_ > 0 && reconfigurations_ < 50;
    if (tag.explorer) explorer_budget_ -= tag.size;
    if (insert && !explore && density(tag) < victim_density_) recent_[recent_head_++ % 8] = tag.id;
    ++timestamp_;
    if (--next_reconfiguration_ > 0) return;
    reconfigure();
    next_reconfiguration_ = std::uint64_t{1} << 20;
    ++reconfigurations_;
  }
  void evict() {
    std::optional<std::size_t> victim;
    float lowest = std::numeric_limits<float>::max();
    const auto look = [&](std::size_t index) {
      const float found = density(tags_[index]);
      if (victim && found >= lowest) return;
      victim = index;
      lowest = found;
    };
    for (int i = 0; i < (reconfigurations_ > 50 ? 32 : 8); ++i) look(random_.below(tags_.size()));
    for (const std::uint64_t id : recent_)
      if (indices_.contains(id)) look(indices_.at(id));
    victim_density_ = 0.9F * victim_density_ + 0.1F * lowest;
    const Tag gone = tags_[*victim];
    class_of(gone).evictions[age(gone)] += 1;
    if (gone.explorer) explorer_budget_ += gone.size;
    held_ -= static_cast<std::uint64_t>(gone.size);
    indices_.erase(gone.id);
    tags_[*victim] = tags_.back();
    tags_.pop_back();
    if (*victim < tags_.size()) indices_[tags_[*victim].id] = *victim;
  }
  void reconfigure() {
    for (Class& one : classes_)
      for (std::size_t a = 0; a < max_age; ++a) {
        one.hits[a] *= 0.9F;
        one.evictions[a] *= 0.9F;
      }
    for (Class& one : classes_) {
      float hits = one.hits[max_age - 1], events = one.hits[max_age - 1] + one.evictions[max_age - 1],
            lifetime = events;
      for (std::size_t a = max_age - 1; a-- > 0;) {
        hits += one.hits[a];
        events += one.hits[a] + one.evictions[a];
        lifetime += events;
        one.density[a] = events > 1e-5F ? hits / lifetime : 0.0F;
      }
    }
  }

  std::vector<Tag> tags_;
  std::map<std::uint64_t, std::size_t> indices_;
  std::vector<Class> classes_;
  std::vector<std::uint64_t> recent_;
  Random random_ = Random(20180409);
  std::int64_t explorer_budget_;
  std::uint64_t timestamp_ = 0, next_reconfiguration_ = std::uint64_t{1} << 20, held_ = 0;
  std::size_t recent_head_ = 0;
  int reconfigurations_ = 0, shift_ = 10;
  float victim_density_ = 0;
};

inline std::unique_ptr<PlainCache> plain_trace_cache(const std::string& order, std::uint64_t capacity) {
  if (order == "fifo") return std::make_unique<PlainFifo>(capacity);
  if (order == "lfu") return std::make_unique<PlainLfu>(capacity);
  if (order == "gdsf") return std::make_unique<PlainGdsf>(capacity);
  if (order == "gdsf_hits") return std::make_unique<PlainGdsfHits>(capacity);
  if (order == "s3fifo") return std::make_unique<PlainS3Fifo>(capacity);
  if (order == "lhd") return std::make_unique<PlainLhd>(capacity);
  return plain_cache(order, capacity);
}

/// Belady 1966: of all that is held, and of the newcomer, what is requested last leaves. The future is searched.
inline std::vector<bool> plain_belady(const std::vector<std::uint64_t>& keys, std::uint64_t capacity) {
  std::map<std::uint64_t, std::vector<std::size_t>> requests;
  for (std::size_t i = 0; i < keys.size(); ++i) requests[keys[i]].push_back(i);
  const auto next_of = [&](std::uint64_t key, std::size_t after) {
    const std::vector<std::size_t>& all = requests.at(key);
    const auto next = std::ranges::upper_bound(all, after);
    return next == all.end() ? keys.size() : *next;
  };
  std::vector<std::uint64_t> held;
  std::vector<bool> hits;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = std::ranges::find(held, keys[i]);
    hits.push_back(at != held.end());
    if (at == held.end()) held.push_back(keys[i]);
    std::erase_if(held, [&](std::uint64_t key) { return next_of(key, i) == keys.size(); });
    if (held.size() <= capacity) continue;
    // Of equals the newcomer; only what is never requested again is equal, and that has left.
    held.erase(std::ranges::max_element(held, {}, [&](std::uint64_t key) { return next_of(key, i); }));
  }
  return hits;
}

/// vLLM's block pool: hit blocks leave the free queue, the others come from its front, and all return in reverse.
class PlainFreeQueue {
 public:
  explicit PlainFreeQueue(std::uint64_t capacity) : capacity_(capacity) {}
  std::size_t request(const std::vector<std::uint64_t>& blocks) {
    std::size_t hits = 0;
    while (hits < blocks.size() && std::ranges::find(free_, blocks[hits]) != free_.end()) ++hits;
    std::vector<std::uint64_t> mine;
    for (const std::uint64_t block : blocks) {
      if (std::ranges::find(mine, block) != mine.end()) continue;
      mine.push_back(block);
    }
    std::size_t kept = 0;  // of mine, already cached
    for (const std::uint64_t block : mine) kept += std::erase(free_, block) > 0 ? 1 : 0;
    // Room is taken block by block: what is cached already needs none.
    std::vector<std::uint64_t> taken;
    std::size_t used = free_.size() + kept;
    for (const std::uint64_t block : mine) {
      if (cached_.contains(block)) {
        taken.push_back(block);
        continue;
      }
      if (used >= capacity_) {
        if (free_.empty()) break;
        cached_.erase(free_.front());
        free_.erase(free_.begin());
        --used;
      }
      cached_.insert({block, true});
      taken.push_back(block);
      ++used;
    }
    for (std::size_t i = taken.size(); i < mine.size(); ++i) cached_.erase(mine[i]);
    for (std::size_t i = taken.size(); i-- > 0;) free_.push_back(taken[i]);
    return hits;
  }

 private:
  std::uint64_t capacity_;
  std::vector<std::uint64_t> free_;  // the next to be evicted in front
  std::map<std::uint64_t, bool> cached_;
};

/// SGLang's RadixCache: nodes with a key of several blocks, split where a match ends; the leaf that was accessed
/// longest ago is deleted as a whole until there is room.
class PlainRadixTree {
 public:
  explicit PlainRadixTree(std::uint64_t capacity) : capacity_(capacity) {}
  std::size_t request(const std::vector<std::uint64_t>& blocks) {
    ++now_;
    Node* node = &root_;
    root_.accessed = now_;
    std::size_t matched = 0;
    while (matched < blocks.size()) {
      const auto child =
          std::ranges::find_if(node->children, [&](const auto& one) { return one->key.front() == blocks[matched]; });
      if (child == node->children.end()) break;
      node = child->get();
      std::size_t common = 0;
      while (common < node->key.size() && matched + common < blocks.size() &&
             node->key[common] == blocks[matched + common])
        ++common;
      matched += common;
      if (common < node->key.size()) {
        split(*node, common);
        node->accessed = now_;
        break;
      }
      node->accessed = now_;
    }
    const std::uint64_t wanted =
        std::min<std::uint64_t>(blocks.size() - matched, capacity_ - std::min<std::uint64_t>(matched, capacity_));
    while (capacity_ - held_ < wanted && evict()) {
    }
    const std::size_t added = std::min<std::size_t>(blocks.size() - matched, capacity_ - held_);
    if (added > 0) {
      auto made = std::make_unique<Node>();
      made->key.assign(blocks.begin() + static_cast<std::ptrdiff_t>(matched),
                       blocks.begin() + static_cast<std::ptrdiff_t>(matched + added));
      made->accessed = now_;
      node->children.push_back(std::move(made));
      held_ += added;
    }
    return matched;
  }

 private:
  struct Node {
    std::vector<std::uint64_t> key;
    std::vector<std::unique_ptr<Node>> children;
    std::uint64_t accessed = 0;
  };
  /// The rest of the key becomes a child, as old as the node was.
  static void split(Node& node, std::size_t at) {
    auto rest = std::make_unique<Node>();
    rest->key.assign(node.key.begin() + static_cast<std::ptrdiff_t>(at), node.key.end());
    rest->accessed = node.accessed;
    rest->children = std::move(node.children);
    node.key.resize(at);
    node.children.clear();
    node.children.push_back(std::move(rest));
  }
  /// Leaves of the running request are locked.
  bool evict() {
    Node *parent = nullptr, *oldest = nullptr;
    find_oldest(root_, parent, oldest);
    if (oldest == nullptr) return false;
    held_ -= oldest->key.size();
    std::erase_if(parent->children, [&](const auto& one) { return one.get() == oldest; });
    return true;
  }
  void find_oldest(Node& node, Node*& parent, Node*& oldest) {
    for (auto& child : node.children) {
      if (!child->children.empty()) {
        find_oldest(*child, parent, oldest);
        continue;
      }
      if (child->accessed == now_ || (oldest != nullptr && child->accessed >= oldest->accessed)) continue;
      parent = &node;
      oldest = child.get();
    }
  }

  std::uint64_t capacity_, held_ = 0, now_ = 0;
  Node root_;
};

}  // namespace kvantage::test
