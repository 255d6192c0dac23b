// Results of a policy in runs of one workload, and comparisons of policies: at equal quality, at equal TTFT, near full
// quality. Used by figures 7, 9 and 12 of EvicPress and 2 of AdaptCache.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/experiments/serving_cost.h"
#include "core/ports/events.h"

namespace kvantage::inline experiments {

/// Where the time from arrival to the first token went beside the question's prefill, in seconds. The rest is lookup
/// and what is between the steps of a request.
struct TtftParts {
  double queue = 0, load = 0, context_prefill = 0;  // load: waiting for bytes of the sample's source
  double unpack = 0;                                // verifying loaded bytes and unpacking them
};

/// Shares of a hit on a context that is stored in chunks: of its chunks, those that were read; of the bytes read, those
/// from copies on faster tiers.
struct ChunkReads {
  double read = 1, copies = 0;
};

/// One answered request. Held-out questions have only a quality.
struct PolicySample {
  std::string context, family, source;
  double ttft_seconds = 0;      // service: without queueing
  double question_seconds = 0;  // question prefill up to the first token: no cache can save this
  std::optional<double> quality;
  std::optional<double> predicted_quality;
  double arrival_to_token_seconds = 0;  // TTFT with queueing
  double itl_seconds = 0;               // mean over the answer
  int context_tokens = 0;
  std::optional<double> uncompressed_quality = {};  // of the uncompressed cache's answer to the same question
  std::string question = {};
  double end_to_end_seconds = 0;                 // from arrival to the last token
  bool in_profile = false;                       // re-profiling had used the question before it was asked
  std::optional<double> quality_by_chance = {};  // of an answer to another question
  std::optional<TtftParts> parts = {};           // nothing: simulated
  std::optional<ChunkReads> chunks = {};         // nothing: no hit in chunks, or simulated
};

/// What drifted in a run, and the cost of re-profiling.
struct ReprofilingCost {
  double busy_seconds = 0, reprofiling_seconds = 0;
  std::uint64_t drifts = 0, curves = 0;
  double longest_step_seconds = 0;          // of profiling: the longest delay of a request
  double longest_prefill_step_seconds = 0;  // one layer of one chunk
};

/// One setting of one policy over all seeds.
struct PolicyOutcome {
  std::string policy;
  double alpha = 0;            // 0 where the policy does not use it
  double budget_fraction = 0;  // of the uncompressed bytes: over all tiers, in a regime of the fastest one
  int seeds = 0;
  std::vector<PolicySample> samples;
  double requests_per_second = 0;           // requested; 0: closed loop
  std::string condition = {};               // other conditions, as text
  std::string extension = {};               // what is beyond the paper, as in evicpress_rules.h; empty: nothing
  std::vector<ReprofilingCost> costs = {};  // one per seed
  std::vector<ServingCost> serving = {};    // one per seed, where known
};

using Outcomes = std::vector<const PolicyOutcome*>;
/// Those whose text begins with `prefix`, of one budget.
Outcomes with_prefix(const std::vector<PolicyOutcome>& outcomes, const std::string& prefix, double budget_fraction);
/// The same, of one condition and all budgets.
Outcomes with_prefix(const std::vector<PolicyOutcome>& outcomes, const std::string& prefix,
                     const std::string& condition);
std::set<double> budgets_of(const std::vector<PolicyOutcome>& outcomes);
/// Relative tolerances of comparisons at equal quality and at equal TTFT, and of "near full quality".
inline constexpr double equal_quality = 0.01, equal_ttft = 0.01, near_full = 0.03;

/// Adds the records of one run (without warm-up and canceled requests).
void add_records(PolicyOutcome& outcome, const std::vector<RequestRecord>& records, const std::string& quality_metric);

/// A mean with its 95 % interval: contexts are drawn, not requests.
struct PolicyMean {
  double mean = 0;
  std::optional<Interval> interval;
  std::size_t n = 0;
};
/// For one family, or all with an empty name.
PolicyMean mean_ttft(const PolicyOutcome& outcome, const std::string& family = {});
PolicyMean mean_quality(const PolicyOutcome& outcome, const std::string& family = {});
/// What answers to other questions score on those that have a quality; n = 0 where that is unknown.
PolicyMean mean_chance(const PolicyOutcome& outcome);
PolicyMean mean_itl(const PolicyOutcome& outcome);
/// Seconds from arrival to the last token.
PolicyMean mean_end_to_end(const PolicyOutcome& outcome);
PolicyMean mean_ttft_with_queue(const PolicyOutcome& outcome);
/// `mean`: the percentile.
PolicyMean ttft_with_queue_percentile(const PolicyOutcome& outcome, double fraction);
/// Share of requests that a tier served.
double hit_rate(const PolicyOutcome& outcome, const std::string& source);
/// With share_interval().
PolicyMean mean_hits(const PolicyOutcome& outcome, const std::string& source);
/// Seconds that hits of a tier waited for its bytes; n = 0: there were none, or times are simulated.
PolicyMean mean_load(const PolicyOutcome& outcome, const std::string& source);

/// 95 % interval of mean(above) / mean(below): contexts are drawn, the same ones for both. Nothing for fewer than two
/// contexts.
std::optional<Interval> ttft_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                            const std::string& family = {});
std::optional<Interval> quality_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                               const std::string& family = {});
std::optional<Interval> end_to_end_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below);
/// Of the shares of requests that a tier served.
std::optional<Interval> hit_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                           const std::string& source);
/// 95 % interval of mean(above) - mean(below): contexts are drawn, the same ones for both.
std::optional<Interval> difference_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                            const std::function<double(const PolicySample&)>& value);

/// Minimum, maximum and mean of the comparisons; none: n = 0.
struct Span {
  double low = 0, high = 0;
  std::size_t n = 0;
  double sum = 0;
  void add(double value);
  double mean() const { return n > 0 ? sum / static_cast<double>(n) : 0; }
};

/// For each of `ours`: TTFT of the fastest of `others` whose quality is at most `tolerance` (relative) lower, divided
/// by ours. `unreached` counts points that none of them reaches.
struct Speedups {
  Span span;
  std::size_t unreached = 0;
  std::optional<Interval> low_interval = {}, high_interval = {};  // 95 %, of the pairs that gave span.low and span.high
  std::size_t ahead = 0;                                          // of the span's n: speedups above 1, rises above 0
};
Speedups speedups_at_equal_quality(const std::vector<const PolicyOutcome*>& ours,
                                   const std::vector<const PolicyOutcome*>& others, double tolerance,
                                   const std::string& family = {});
/// For each of `ours`: relative rise of its quality over the best of `others` that is at most `tolerance` slower.
Speedups quality_rises_at_equal_ttft(const std::vector<const PolicyOutcome*>& ours,
                                     const std::vector<const PolicyOutcome*>& others, double tolerance,
                                     const std::string& family = {});
/// The fastest of `ours` that keeps at least 1 - `lost` of the full quality; null when there is none.
const PolicyOutcome* fastest_near(const std::vector<const PolicyOutcome*>& ours, double full_quality, double lost);

}  // namespace kvantage::inline experiments
