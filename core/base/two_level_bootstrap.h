// The difference of two sides that were each run several times: how much of it is noise of contexts, and how much of
// runs. A run as a whole is faster or slower than the next one (the machine, placements that depend on time), which the
// spread within a run does not show.
//
// Two levels. Contexts are drawn with replacement, the same ones for all runs, as in bootstrap_interval (statistics.h).
// Runs are too few to draw from, so their level is drawn from Student's t with the variance between runs. Noise of
// single answers is in both levels and counts once: its variance is taken off that of the contexts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"

namespace kvantage {

/// Values of the same questions in every run of two sides: before[run][question], after[run][question].
struct RepeatedPairs {
  std::vector<std::vector<double>> before, after;
  std::vector<std::string> groups;  // [question], its context
  bool in_blocks = false;           // run i of both sides was served in the same block: what they share cancels out
};

/// What the interval is made of; all variances are of the difference.
struct TwoLevelDifference {
  double difference = 0;               // after - before
  std::optional<Interval> interval;    // 95 %; nothing for fewer than two contexts
  std::optional<double> between_runs;  // nothing where a side has one run
  double freedom = 0;                  // degrees of freedom of between_runs
  double of_one_run = 0;               // what between_runs would be with one run of each side
  double contexts = 0;                 // without the noise of single answers
};

/// Of the means. 2,000 draws from a fixed seed.
TwoLevelDifference two_level_difference(const RepeatedPairs& pairs);
/// Of percentiles over all answers of a side. The noise of single answers counts twice: the interval is on the safe
/// side.
TwoLevelDifference two_level_percentile_difference(const RepeatedPairs& pairs, double fraction);

/// How many runs of each side find a difference.
struct PowerEstimate {
  double difference = 0;     // looked for, absolute
  std::size_t runs = 0;      // of each side; 0: no number of runs is enough with these contexts
  std::size_t contexts = 0;  // so many are enough with `runs`; those that there are where `runs` is not 0
};

/// With so many runs a side, a difference of `difference` is found in 9 of 10 comparisons at 95 %. The variance between
/// runs is known from few of them: its upper limit (80 %) is taken (Browne 1995, Statistics in Medicine 14). Nothing
/// where it is not known. `runs`: of the side with fewer in `seen`; `contexts`: in it.
std::optional<PowerEstimate> runs_to_find(double difference, const TwoLevelDifference& seen, std::size_t runs,
                                          std::size_t contexts);

}  // namespace kvantage
