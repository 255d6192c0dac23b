// Caches of one tier as their papers describe them: lists that are searched, nothing shared with core/eviction. Slow,
// and short enough to be read beside the paper.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kvantage::test {

class PlainCache {
 public:
  explicit PlainCache(std::uint64_t capacity) : capacity_(capacity) {}
  virtual ~PlainCache() = default;
  /// Whether an entry is there; it is held from now on. An entry always has the same size, at most the capacity.
  bool request(std::uint64_t key, std::uint64_t size) {
    sizes_[key] = size;
    const bool hit = holds(key);
    if (hit) {
      on_hit(key);
    } else {
      on_miss(key);
    }
    return hit;
  }
  virtual bool holds(std::uint64_t key) const = 0;

 protected:
  using Queue = std::deque<std::uint64_t>;  // the oldest in front
  virtual void on_hit(std::uint64_t key) = 0;
  virtual void on_miss(std::uint64_t key) = 0;

  static bool in(const Queue& queue, std::uint64_t key) { return std::ranges::find(queue, key) != queue.end(); }
  static void erase(Queue& queue, std::uint64_t key) { std::erase(queue, key); }
  static std::uint64_t pop(Queue& queue) {
    const std::uint64_t key = queue.front();
    queue.pop_front();
    return key;
  }
  std::uint64_t weight(const Queue& queue) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t key : queue) sum += sizes_.at(key);
    return sum;
  }
  std::uint64_t size(std::uint64_t key) const { return sizes_.at(key); }

  std::uint64_t capacity_;

 private:
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

class PlainLru final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  bool holds(std::uint64_t key) const override { return in(queue_, key); }

 private:
  void on_hit(std::uint64_t key) override {
    erase(queue_, key);
    queue_.push_back(key);
  }
  void on_miss(std::uint64_t key) override {
    while (weight(queue_) + size(key) > capacity_) pop(queue_);
    queue_.push_back(key);
  }
  Queue queue_;
};

/// Algorithm 1 of the paper. The hand is an index; all in front of it is older.
class PlainSieve final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  bool holds(std::uint64_t key) const override { return in(queue_, key); }

 private:
  void on_hit(std::uint64_t key) override { visited_[key] = true; }
  void on_miss(std::uint64_t key) override {
    while (weight(queue_) + size(key) > capacity_) {
      while (visited_[queue_[hand_]]) {
        visited_[queue_[hand_]] = false;
        hand_ = (hand_ + 1) % queue_.size();
      }
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(hand_));
      if (hand_ == queue_.size()) hand_ = 0;
    }
    // A hand that is past the newest starts at the oldest again, not at what comes now.
    queue_.push_back(key);
    visited_[key] = false;
  }
  Queue queue_;
  std::map<std::uint64_t, bool> visited_;
  std::size_t hand_ = 0;
};

/// Sections 3 and 4 of the paper, with counts in place of the sketch.
class PlainWTinyLfu final : public PlainCache {
 public:
  explicit PlainWTinyLfu(std::uint64_t capacity)
      : PlainCache(capacity),
        window_capacity_(capacity / 100),
        protected_capacity_(static_cast<std::uint64_t>(static_cast<double>(capacity - capacity / 100) * 0.8)) {}
  bool holds(std::uint64_t key) const override {
    return in(window_, key) || in(probation_, key) || in(protected_, key);
  }

 private:
  void on_hit(std::uint64_t key) override {
    count(key);
    for (Queue* queue : {&window_, &protected_})
      if (in(*queue, key)) {
        erase(*queue, key);
        queue->push_back(key);
        return;
      }
    erase(probation_, key);
    protected_.push_back(key);
    while (weight(protected_) > protected_capacity_) probation_.push_back(pop(protected_));
  }
  void on_miss(std::uint64_t key) override {
    max_size_ = std::max(max_size_, window_.size() + probation_.size() + protected_.size() + 1);
    count(key);
    window_.push_back(key);
    while (weight(window_) > window_capacity_ && fits(window_.front())) probation_.push_back(pop(window_));
    while (weight(window_) + weight(probation_) + weight(protected_) > capacity_) {
      Queue& main = probation_.empty() ? protected_ : probation_;
      if (weight(window_) <= window_capacity_) {
        pop(main);
        continue;
      }
      const std::uint64_t candidate = pop(window_);
      if (fits(candidate)) {
        probation_.push_back(candidate);
      } else if (!main.empty() && counts_[candidate] > counts_[main.front()]) {
        pop(main);
        probation_.push_back(candidate);
      }
    }
  }
  bool fits(std::uint64_t key) const {
    return weight(probation_) + weight(protected_) + size(key) <= capacity_ - window_capacity_;
  }
  void count(std::uint64_t key) {
    counts_[key] = std::min(counts_[key] + 1, 15);
    if (++sampled_ < 10 * max_size_) return;
    for (auto& [counted, count] : counts_) count /= 2;
    sampled_ /= 2;
  }

  std::uint64_t window_capacity_, protected_capacity_;
  Queue window_, probation_, protected_;
  std::map<std::uint64_t, int> counts_;
  std::size_t max_size_ = 0, sampled_ = 0;
};

/// Figure 4 of the paper, lengths being sums of sizes and p moving by sizes.
class PlainArc final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  bool holds(std::uint64_t key) const override { return in(t1_, key) || in(t2_, key); }

 private:
  void on_hit(std::uint64_t key) override {  // case I
    erase(t1_, key);
    erase(t2_, key);
    t2_.push_back(key);
  }
  void on_miss(std::uint64_t key) override {
    const double once = static_cast<double>(weight(b1_)), often = static_cast<double>(weight(b2_));
    const double page = static_cast<double>(size(key));
    if (in(b1_, key)) {  // case II
      p_ = std::min(p_ + page * std::max(often / once, 1.0), static_cast<double>(capacity_));
      erase(b1_, key);
      replace_for(key, false);
      t2_.push_back(key);
    } else if (in(b2_, key)) {  // case III
      p_ = std::max(p_ - page * std::max(once / often, 1.0), 0.0);
      erase(b2_, key);
      replace_for(key, true);
      t2_.push_back(key);
    } else {  // case IV
      if (weight(t1_) + weight(b1_) + size(key) > capacity_) {
        while (weight(t1_) + weight(b1_) + size(key) > capacity_ && !b1_.empty()) pop(b1_);
        while (weight(t1_) + size(key) > capacity_) pop(t1_);
      } else {
        while (weight(t1_) + weight(b1_) + weight(t2_) + weight(b2_) + size(key) > 2 * capacity_ && !b2_.empty())
          pop(b2_);
      }
      replace_for(key, false);
      t1_.push_back(key);
    }
  }
  void replace_for(std::uint64_t key, bool in_b2) {
    while (weight(t1_) + weight(t2_) + size(key) > capacity_) {  // REPLACE
      const auto first = static_cast<double>(weight(t1_));
      const bool from_t1 = !t1_.empty() && ((in_b2 && first == p_) || first > p_ || t2_.empty());
      if (from_t1) {
        b1_.push_back(pop(t1_));
      } else {
        b2_.push_back(pop(t2_));
      }
    }
  }

  Queue t1_, t2_, b1_, b2_;
  double p_ = 0;
};

inline std::unique_ptr<PlainCache> plain_cache(const std::string& order, std::uint64_t capacity) {
  if (order == "lru") return std::make_unique<PlainLru>(capacity);
  if (order == "arc") return std::make_unique<PlainArc>(capacity);
  if (order == "sieve") return std::make_unique<PlainSieve>(capacity);
  if (order == "w_tinylfu") return std::make_unique<PlainWTinyLfu>(capacity);
  return nullptr;
}

}  // namespace kvantage::test
