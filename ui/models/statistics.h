// Means with 95 % intervals that grow with a run. The interval is the project's one (core/base/statistics.h: bootstrap
// over contexts); it is computed when somebody looks, not with every value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kvantage {

struct MeasuredMean {
  double mean = 0;
  double low = 0, high = 0;  // equal to the mean while there is no interval
  std::uint64_t n = 0;
  bool has_interval = false;
};

class GrowingMean {
 public:
  void add(double value, const std::string& group);
  std::uint64_t n() const { return values_.size(); }
  double mean() const { return values_.empty() ? 0 : sum_ / static_cast<double>(values_.size()); }
  /// Interval over groups (contexts), or over single values when there is only one group.
  const MeasuredMean& measured() const;
  /// Without an interval: nothing is resampled.
  MeasuredMean without_interval() const {
    return {.mean = mean(), .low = mean(), .high = mean(), .n = n(), .has_interval = false};
  }

 private:
  std::vector<double> values_;
  std::vector<std::string> groups_;
  double sum_ = 0;
  mutable MeasuredMean cached_;
  mutable std::size_t resampled_n_ = 0;  // values that the interval was drawn from
  mutable double below_ = 0, above_ = 0;  // the mean of these: how far the interval reaches
};

}  // namespace kvantage
