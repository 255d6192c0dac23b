// vLLM's free queue by workload (pull request 22236, arXiv 2506.02634), in one list that is searched. Nothing is shared
// with core/eviction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kvantage::test {

/// Of the oldest free block of each category of requests, the one least likely to be reused within the time that blocks
/// stay is evicted: the share of accesses of its category that were followed by another one, times what an exponential
/// distribution of the reuse times gives from its age on. Of equal ones, the one farther back in its prompt.
class PlainWorkloadQueues {
 public:
  explicit PlainWorkloadQueues(std::uint64_t capacity) : capacity_(capacity) {}

  /// Blocks of the prefix that were cached. `seconds` ascend.
  std::size_t request(double seconds, std::uint64_t category, const std::vector<std::uint64_t>& keys) {
    now_ = seconds;
    if (std::ranges::find(categories_, category) == categories_.end()) categories_.push_back(category);
    std::size_t hits = 0;
    while (hits < keys.size() && blocks_[keys[hits]].cached) ++hits;
    std::vector<std::uint64_t> mine;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      access(blocks_[keys[i]], category);
      if (std::ranges::find(mine, keys[i]) != mine.end()) continue;
      blocks_[keys[i]].offset = i;
      mine.push_back(keys[i]);
      std::erase(free_, keys[i]);
    }
    std::size_t fits = 0;
    for (; fits < mine.size(); ++fits) {
      if (blocks_[mine[fits]].cached) continue;
      if (cached() >= capacity_ && !evict()) break;
      blocks_[mine[fits]].cached = true;
    }
    for (std::size_t i = fits; i < mine.size(); ++i) blocks_[mine[i]].cached = false;
    for (std::size_t i = fits; i-- > 0;) free_.push_back(mine[i]);
    return hits;
  }

 private:
  struct Block {
    std::optional<double> accessed;  // seconds
    std::uint64_t category = 0;      // of the last access
    std::size_t offset = 0;
    bool cached = false;
  };
  struct Reuses {
    double accesses = 0, reused = 0, seconds = 0;
  };

  /// A reuse counts for the category of the access before.
  void access(Block& block, std::uint64_t category) {
    if (block.accessed) {
      reuses_[block.category].reused += 1;
      reuses_[block.category].seconds += now_ - *block.accessed;
    }
    reuses_[category].accesses += 1;
    block.category = category;
    block.accessed = now_;
  }
  std::uint64_t cached() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(blocks_, [](const auto& one) { return one.second.cached; }));
  }
  double chance(const Block& block) {
    if (categories_.size() < 2) return 0;
    const Reuses& of = reuses_[block.category];
    const double share = (of.reused + 1) / (of.accesses + 2);
    const double rate = (of.reused + 1) / (of.seconds + std::max(now_, 1.0));
    const double age = now_ - *block.accessed;
    return share * (std::exp(-rate * age) - (stay_ ? std::exp(-rate * (age + *stay_)) : 0));
  }
  bool evict() {
    std::optional<std::uint64_t> victim;
    for (const std::uint64_t category : categories_) {
      const auto oldest =
          std::ranges::find_if(free_, [&](std::uint64_t key) { return blocks_.at(key).category == category; });
      if (oldest == free_.end()) continue;
      if (!victim || goes_before(blocks_.at(*oldest), blocks_.at(*victim))) victim = *oldest;
    }
    if (!victim) return false;
    Block& gone = blocks_.at(*victim);
    const double stayed = now_ - *gone.accessed;
    stay_ = stay_ ? 0.99 * *stay_ + 0.01 * stayed : stayed;
    gone.cached = false;
    std::erase(free_, *victim);
    return true;
  }
  bool goes_before(const Block& a, const Block& b) {
    const double of_a = chance(a), of_b = chance(b);
    if (of_a < of_b || of_b < of_a) return of_a < of_b;
    return a.offset != b.offset ? a.offset > b.offset : *a.accessed < *b.accessed;
  }

  std::uint64_t capacity_;
  std::vector<std::uint64_t> free_;        // the oldest in front
  std::vector<std::uint64_t> categories_;  // in order of appearance
  std::map<std::uint64_t, Block> blocks_;
  std::map<std::uint64_t, Reuses> reuses_;  // by category
  std::optional<double> stay_;              // mean time in the cache until eviction
  double now_ = 0;
};

}  // namespace kvantage::test
