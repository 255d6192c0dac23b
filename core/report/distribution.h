// A number of a report, and the distribution of a quantity over requests.
#pragma once

#include <cstddef>
#include <optional>

#include "core/base/statistics.h"
#include "core/ports/events.h"

namespace kvantage::inline report {

struct MetricValue {
  double value = 0;
  Provenance provenance = Provenance::measured;
};

/// Samples of one quantity: mean with 95 % interval (nothing for fewer than two contexts) and percentiles.
struct Distribution {
  std::size_t n = 0;
  std::size_t contexts = 0;
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;
  std::optional<Interval> interval;
  std::optional<Interval> p95_interval{};  // by drawing contexts, as for the mean
  Provenance provenance = Provenance::measured;
};

}  // namespace kvantage::inline report
