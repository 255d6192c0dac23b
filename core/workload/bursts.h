// Bursts: periods in which all requests are about the same few contexts and arrive faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace kvantage::inline workload {

/// An on/off-modulated Poisson process, counted in requests so that it also works in a closed loop. The number of
/// requests in a burst and in a quiet time are geometric, as in a Poisson process that is switched after exponential
/// times.
struct Bursts {
  double factor = 5;                // rate of a burst relative to quiet times, at least 1
  double mean_requests = 20;        // per burst, at least 1
  double mean_quiet_requests = 20;  // between two bursts, at least 1
  std::uint64_t contexts = 2;       // per burst, drawn uniformly for each
  bool operator==(const Bursts&) const = default;
};

/// usage error that names the field and its range.
Status check(const Bursts& bursts);

/// Walks through a request sequence that starts in a quiet time. Its draws depend only on the seed, so a longer
/// sequence starts with the shorter one.
class BurstWalk {
 public:
  /// `contexts`: total to choose from.
  BurstWalk(const Bursts& bursts, std::size_t contexts, std::uint64_t seed);

  struct Step {
    std::optional<std::size_t> context;  // below `contexts`, when the burst decides; nothing in quiet times
    double pace = 1;                     // current arrival rate relative to the overall mean
  };
  Step next();

 private:
  void begin_burst();

  Bursts bursts_;
  Random random_;
  std::vector<std::size_t> order_;  // its first `about_` are the contexts of the burst
  std::size_t about_;
  double quiet_pace_;
  bool in_burst_ = false, first_ = true;
};

}  // namespace kvantage::inline workload
