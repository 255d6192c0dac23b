// The samples of a quantity over requests, from which its distribution in a report is made.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/distribution.h"

namespace kvantage::inline report {

inline Provenance weaker(Provenance a, Provenance b) { return std::max(a, b); }

// Throttling slows only loads: the model's own times are still measured.
inline Provenance unthrottled(Provenance provenance) {
  return provenance == Provenance::throttled ? Provenance::measured : provenance;
}

/// Samples with their context; non-finite values are skipped.
class Samples {
 public:
  void add(double value, const RequestRecord& record, Provenance provenance) {
    if (!std::isfinite(value)) return;
    values_.push_back(value);
    contexts_.push_back(record.context == Digest128{} ? record.context_id : record.context.hex());
    provenance_ = weaker(provenance_, provenance);
  }
  Distribution distribution() const {
    Distribution result;
    result.n = values_.size();
    result.contexts = std::set<std::string>(contexts_.begin(), contexts_.end()).size();
    result.mean = mean_of(values_);
    result.p50 = percentile(values_, 0.50);
    result.p95 = percentile(values_, 0.95);
    result.p99 = percentile(values_, 0.99);
    result.interval = bootstrap_interval(values_, contexts_);
    result.p95_interval = bootstrap_percentile_interval(values_, contexts_, 0.95);
    result.provenance = provenance_;
    return result;
  }
  std::optional<Interval> interval() const { return bootstrap_interval(values_, contexts_); }
  MetricValue mean() const { return {mean_of(values_), provenance_}; }

 private:
  std::vector<double> values_;
  std::vector<std::string> contexts_;
  Provenance provenance_ = Provenance::measured;
};

}  // namespace kvantage::inline report
