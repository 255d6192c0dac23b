// Drift: the questions about each context change over the run, from those of phase 0 to those of phase 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace kvantage::inline workload {

struct Drift {
  double begin = 0.4;       // share of the run after which it starts, [0, 1]
  double end = 0.6;         // share after which only phase 1 is asked, at least begin
  bool one_by_one = false;  // contexts switch one after the other, in an order drawn by the workload's seed;
                            // false: all together, each with a growing share of phase 1 questions
  bool operator==(const Drift&) const = default;
};

/// usage error that names the field and its range.
Status check(const Drift& drift);

/// The phase of each request of a sequence. Makes one draw per request in any case, so a longer sequence starts with
/// the shorter one.
class DriftWalk {
 public:
  /// `requests`: length of the run, base of the shares. `order_seed` belongs to the workload, `seed` to the run.
  DriftWalk(const Drift& drift, std::size_t contexts, std::uint64_t requests, std::uint64_t order_seed,
            std::uint64_t seed);

  /// Phase of the next request, which is about this context.
  int next(std::size_t context);

 private:
  std::uint64_t begin_, end_;  // request indices
  bool one_by_one_;
  std::vector<std::uint64_t> changes_at_;  // per context, when one by one
  Random random_;
  std::uint64_t index_ = 0;
};

}  // namespace kvantage::inline workload
