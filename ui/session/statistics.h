// Means with 95 % intervals that grow with a run. The interval is the project's one (core/base/statistics.h: bootstrap
// over contexts). Drawing it costs milliseconds: it is drawn when somebody asks for it, and whoever must not wait draws
// it elsewhere from a copy of the sums. What a mean holds does not grow with the number of values, only with that of
// contexts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/group_bootstrap.h"

namespace kvantage {

struct MeasuredMean {
  double mean = 0;
  double low = 0, high = 0;  // equal to the mean while there is no interval
  std::uint64_t n = 0;
  bool has_interval = false;
  std::uint64_t groups = 0;  // contexts that the values are of; 0: not known
};

class GrowingMean {
 public:
  /// How far an interval reaches to both sides of the mean, and of how many values.
  struct Reach {
    double below = 0, above = 0;
    std::uint64_t n = 0;
    bool known = false;  // false: there are too few groups or values for an interval
  };

  /// Of a single group at most so many blocks are held; with more values, each block is the sum of 2, 4, 8 …
  static constexpr std::size_t max_blocks = 4096;

  void add(double value, const std::string& group);
  std::uint64_t n() const { return n_; }
  /// Contexts with a value.
  std::uint64_t groups() const { return groups_.empty() ? std::uint64_t{n_ > 0} : groups_.size(); }
  double mean() const { return n_ == 0 ? 0 : sum_ / static_cast<double>(n_); }
  /// Interval over groups (contexts), or over blocks of values when there is only one group: of single values up to
  /// max_blocks of them. Drawn now if values were added.
  MeasuredMean measured() const;
  /// Without an interval: nothing is resampled.
  MeasuredMean without_interval() const {
    return {.mean = mean(), .low = mean(), .high = mean(), .n = n(), .has_interval = false, .groups = groups()};
  }
  /// With the interval drawn last, around the present mean: nothing is resampled.
  MeasuredMean so_far() const { return with(reach_); }

  /// What an interval is drawn from, and how far the one drawn last is behind.
  std::vector<GroupSum> sums() const;
  std::uint64_t drawn() const { return reach_.n; }
  static Reach reach_of(const std::vector<GroupSum>& sums);
  /// Takes an interval that was drawn of an earlier state of this mean.
  void take(const Reach& reach) const { reach_ = reach; }

 private:
  MeasuredMean with(const Reach& reach) const;

  void add_to_blocks(double value);

  // While there is one group its values are here, in blocks of the same size but the last; afterwards the sums of all.
  std::string only_group_;
  std::vector<GroupSum> blocks_;
  std::map<std::string, GroupSum> groups_;
  double sum_ = 0;
  std::uint64_t n_ = 0;
  mutable Reach reach_;
};

}  // namespace kvantage
