// Bursts: for a while all requests are about the same few contexts and come faster than usual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace kvantage {

/// An on/off-modulated Poisson process, told in requests so that it also bites where each request waits for the one
/// before: the number of requests of a burst and of a quiet time are geometric, which is what a Poisson process gives
/// that is switched after exponential times.
struct Bursts {
  double factor = 5;          // requests of a burst come so many times as fast as those of quiet times, at least 1
  double mean_requests = 20;  // of a burst, at least 1
  double mean_quiet_requests = 20;  // between two bursts, at least 1
  std::uint64_t contexts = 2;       // that a burst is about, drawn anew for each, all alike
  bool operator==(const Bursts&) const = default;
};

/// usage error that names the field and its range.
Status check(const Bursts& bursts);

/// Walks through a request sequence that begins in a quiet time. Its draws depend on nothing but the seed, so a longer
/// sequence begins with the shorter one.
class BurstWalk {
 public:
  /// `contexts`: how many there are to choose from.
  BurstWalk(const Bursts& bursts, std::size_t contexts, std::uint64_t seed);

  struct Step {
    std::optional<std::size_t> context;  // below `contexts`, when the burst decides; nothing in quiet times
    double pace = 1;                     // rate of arrivals now, over the mean rate of the whole
  };
  Step next();

 private:
  void begin_burst();

  Bursts bursts_;
  Random random_;
  std::vector<std::size_t> order_;  // its first `about_` are what the burst is about
  std::size_t about_;
  double quiet_pace_;
  bool in_burst_ = false, first_ = true;
};

}  // namespace kvantage
