// A shard's contexts, summarized: of each class, how many contexts have about which request frequency. At given prices
// a context's best form depends on its class and its frequency alone, so this is all that prices need. Memory is
// bounded by classes and groups, whatever the number of contexts.
//
// A group has the frequencies of 1/16 of a doubling, so its highest is at most 6.25 % above its lowest. What that costs
// is bounded in shard_demand.h; a group of one frequency costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvantage::inline fleet {

struct FrequencyGroup {
  float low = 0, high = 0;  // of its contexts
  std::uint32_t count = 0;
  double sum = 0;  // of their frequencies
  double mean() const { return sum / count; }
};

class FrequencyGroups {
 public:
  FrequencyGroups() = default;
  std::size_t classes() const { return first_.empty() ? 0 : first_.size() - 1; }
  std::size_t size() const { return groups_.size(); }
  /// Ascending by frequency.
  std::span<const FrequencyGroup> of(std::size_t one) const {
    return std::span(groups_).subspan(first_[one], first_[one + 1] - first_[one]);
  }
  /// Position of the first group of a class among all groups.
  std::size_t first(std::size_t one) const { return first_[one]; }
  std::uint64_t contexts() const { return contexts_; }
  /// Of all contexts.
  double frequency() const { return frequency_; }

 private:
  friend class GroupBuilder;
  std::vector<FrequencyGroup> groups_;
  std::vector<std::size_t> first_;  // [classes + 1]
  std::uint64_t contexts_ = 0;
  double frequency_ = 0;
};

/// Collects contexts in any number of calls: the groups do not depend on how a shard's stream is cut.
class GroupBuilder {
 public:
  explicit GroupBuilder(std::size_t classes) : bins_(classes * bins_of_class), classes_(classes) {}
  /// Frequencies from 0; those below 2^-63 or from 2 on share the group at that end.
  void add(std::uint32_t of_class, float frequency);
  void add(std::span<const std::uint32_t> classes, std::span<const float> frequencies);
  /// The groups; the builder is empty again.
  FrequencyGroups take();

 private:
  static constexpr std::size_t bins_of_class = 1024;
  std::vector<FrequencyGroup> bins_;  // [classes][bins_of_class]
  std::size_t classes_;
};

}  // namespace kvantage::inline fleet
