#include "core/experiments/policy_outcome.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/base/bootstrap.h"
#include "core/experiments/measured_spans.h"
#include "core/ports/tier_config.h"

namespace kvantage::inline experiments {

namespace {

template <class OutcomeValue>
PolicyMean mean_over(const PolicyOutcome& outcome, const std::string& family, OutcomeValue value) {
  std::vector<double> values;
  std::vector<std::string> contexts;
  for (const PolicySample& sample : outcome.samples) {
    if (!family.empty() && sample.family != family) continue;
    const std::optional<double> known = value(sample);
    if (!known) continue;
    values.push_back(*known);
    contexts.push_back(sample.context);
  }
  return {mean_of(values), bootstrap_interval(values, contexts), values.size()};
}

std::optional<double> ttft_of(const PolicySample& sample) { return sample.ttft_seconds; }
std::optional<double> outcome_quality(const PolicySample& sample) { return sample.quality; }
std::optional<double> end_to_end_of(const PolicySample& sample) { return sample.end_to_end_seconds; }

/// Only the mean: intervals are computed only where they are shown.
template <class OutcomeValue>
double figure_of(const PolicyOutcome& outcome, const std::string& family, OutcomeValue value) {
  double sum = 0;
  std::size_t n = 0;
  for (const PolicySample& sample : outcome.samples) {
    if (!family.empty() && sample.family != family) continue;
    const std::optional<double> known = value(sample);
    if (!known) continue;
    sum += *known;
    ++n;
  }
  return n > 0 ? sum / static_cast<double>(n) : 0;
}

/// 95 % interval of what `of_means` makes of two means: contexts are drawn, the same ones for both.
template <class OutcomeValue, class OfMeans>
std::optional<Interval> paired_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                        const std::string& family, const OutcomeValue& value, const OfMeans& of_means) {
  struct Sums {
    double above = 0, below = 0, above_n = 0, below_n = 0;
  };
  std::map<std::string_view, Sums> by_context;
  for (const bool up : {true, false})
    for (const PolicySample& sample : (up ? above : below).samples) {
      if (!family.empty() && sample.family != family) continue;
      const std::optional<double> known = value(sample);
      if (!known) continue;
      Sums& sums = by_context[sample.context];
      (up ? sums.above : sums.below) += *known;
      (up ? sums.above_n : sums.below_n) += 1;
    }
  std::vector<Sums> contexts;
  contexts.reserve(by_context.size());
  for (const auto& [name, sums] : by_context) contexts.push_back(sums);
  return bootstrap_statistic(contexts.size(), [&](std::span<const std::size_t> drawn) -> std::optional<double> {
    Sums all;
    for (const std::size_t context : drawn) {
      all.above += contexts[context].above;
      all.below += contexts[context].below;
      all.above_n += contexts[context].above_n;
      all.below_n += contexts[context].below_n;
    }
    if (!(all.above_n > 0) || !(all.below_n > 0)) return std::nullopt;
    return of_means(all.above / all.above_n, all.below / all.below_n);
  });
}

template <class OutcomeValue>
std::optional<Interval> ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                       const std::string& family, const OutcomeValue& value) {
  return paired_interval(above, below, family, value, [](double one, double other) {
    return other > 0 ? std::optional(one / other) : std::nullopt;
  });
}

/// A hit without reads by need was loaded whole.
ChunkReads chunk_reads_of(const RequestRecord& record) {
  ChunkReads shares;
  const auto& reads = record.important_reads;
  if (!reads || reads->chunks <= 0) return shares;
  shares.read = static_cast<double>(reads->chunks_read) / reads->chunks;
  const std::uint64_t bytes = reads->probe_bytes + reads->chunk_bytes;
  if (bytes > 0) shares.copies = static_cast<double>(reads->copy_bytes) / static_cast<double>(bytes);
  return shares;
}

/// Values of pairs, and the intervals of the minimum and the maximum.
struct OutcomePairs {
  std::vector<std::pair<const PolicyOutcome*, const PolicyOutcome*>> of;
  std::size_t min = 0, max = 0;
  void add(Speedups& speedups, double value, double even, const PolicyOutcome* above, const PolicyOutcome* below) {
    of.emplace_back(above, below);
    if (speedups.span.n == 0 || value < speedups.span.low) min = of.size() - 1;
    if (speedups.span.n == 0 || value > speedups.span.high) max = of.size() - 1;
    speedups.span.add(value);
    speedups.ahead += value > even ? 1 : 0;
  }
};

}  // namespace

Outcomes with_prefix(const std::vector<PolicyOutcome>& outcomes, const std::string& prefix, double budget_fraction) {
  Outcomes found;
  for (const PolicyOutcome& outcome : outcomes)
    if (outcome.policy.starts_with(prefix) && outcome.budget_fraction == budget_fraction) found.push_back(&outcome);
  return found;
}

Outcomes with_prefix(const std::vector<PolicyOutcome>& outcomes, const std::string& prefix,
                     const std::string& condition) {
  Outcomes found;
  for (const PolicyOutcome& outcome : outcomes)
    if (outcome.policy.starts_with(prefix) && outcome.condition == condition) found.push_back(&outcome);
  return found;
}

std::set<double> budgets_of(const std::vector<PolicyOutcome>& outcomes) {
  std::set<double> budgets;
  for (const PolicyOutcome& outcome : outcomes) budgets.insert(outcome.budget_fraction);
  return budgets;
}

void add_records(PolicyOutcome& outcome, const std::vector<RequestRecord>& records, const std::string& quality_metric) {
  for (const RequestRecord& record : records) {
    if (record.cancelled) continue;
    PolicySample sample{record.context_id,
                        record.family,
                        record.source,
                        record.timing.ttft_service_seconds,
                        record.timing.question_prefill_seconds,
                        {},
                        {},
                        record.timing.ttft_seconds,
                        record.timing.mean_itl_seconds,
                        record.context_tokens,
                        {},
                        record.question,
                        record.timing.e2e_seconds,
                        record.in_profile};
    const auto quality = record.quality.find(quality_metric);
    if (record.held_out && quality != record.quality.end()) sample.quality = quality->second;
    if (record.held_out && record.predicted_quality >= 0) sample.predicted_quality = record.predicted_quality;
    const auto uncompressed = record.quality_uncompressed.find(quality_metric);
    if (record.held_out && uncompressed != record.quality_uncompressed.end())
      sample.uncompressed_quality = uncompressed->second;
    const auto chance = record.quality_chance.find(quality_metric);
    if (record.held_out && chance != record.quality_chance.end()) sample.quality_by_chance = chance->second;
    sample.parts = TtftParts{.queue = record.timing.queue_seconds,
                             .load = record.timing.load_seconds,
                             .context_prefill = record.timing.context_prefill_seconds,
                             .unpack = record.timing.decode_seconds};
    if (outcome.policy.starts_with("impress") && role_of(record.source) == TierRole::serving)
      sample.chunks = chunk_reads_of(record);
    outcome.samples.push_back(std::move(sample));
  }
}

PolicyMean mean_ttft(const PolicyOutcome& outcome, const std::string& family) {
  return mean_over(outcome, family, ttft_of);
}

PolicyMean mean_quality(const PolicyOutcome& outcome, const std::string& family) {
  return mean_over(outcome, family, outcome_quality);
}

PolicyMean mean_chance(const PolicyOutcome& outcome) {
  return mean_over(outcome, {}, [](const PolicySample& sample) {
    return sample.quality ? sample.quality_by_chance : std::optional<double>();
  });
}

PolicyMean mean_itl(const PolicyOutcome& outcome) {
  return mean_over(outcome, {}, [](const PolicySample& sample) {
    return sample.itl_seconds > 0 ? std::optional(sample.itl_seconds) : std::nullopt;  // one-token answers have none
  });
}

PolicyMean mean_end_to_end(const PolicyOutcome& outcome) { return mean_over(outcome, {}, end_to_end_of); }

PolicyMean mean_ttft_with_queue(const PolicyOutcome& outcome) {
  return mean_over(outcome, {},
                   [](const PolicySample& sample) { return std::optional(sample.arrival_to_token_seconds); });
}

PolicyMean ttft_with_queue_percentile(const PolicyOutcome& outcome, double fraction) {
  std::map<std::string_view, std::vector<double>> by_context;
  std::vector<double> seconds;
  for (const PolicySample& sample : outcome.samples) {
    seconds.push_back(sample.arrival_to_token_seconds);
    by_context[sample.context].push_back(sample.arrival_to_token_seconds);
  }
  std::vector<std::vector<double>> contexts;
  contexts.reserve(by_context.size());
  for (auto& [name, values] : by_context) contexts.push_back(std::move(values));
  const auto interval = bootstrap_statistic(contexts.size(), [&](std::span<const std::size_t> drawn) {
    std::vector<double> values;
    for (const std::size_t context : drawn)
      values.insert(values.end(), contexts[context].begin(), contexts[context].end());
    return std::optional(percentile(std::move(values), fraction));
  });
  return {percentile(seconds, fraction), interval, seconds.size()};
}

double hit_rate(const PolicyOutcome& outcome, const std::string& source) {
  if (outcome.samples.empty()) return 0;
  const auto hits = std::count_if(outcome.samples.begin(), outcome.samples.end(),
                                  [&](const PolicySample& sample) { return sample.source == source; });
  return static_cast<double>(hits) / static_cast<double>(outcome.samples.size());
}

PolicyMean mean_hits(const PolicyOutcome& outcome, const std::string& source) {
  std::vector<double> hits;
  std::vector<std::string> contexts;
  hits.reserve(outcome.samples.size());
  contexts.reserve(outcome.samples.size());
  for (const PolicySample& sample : outcome.samples) {
    hits.push_back(sample.source == source ? 1 : 0);
    contexts.push_back(sample.context);
  }
  return {mean_of(hits), share_interval(hits, contexts), hits.size()};
}

PolicyMean mean_load(const PolicyOutcome& outcome, const std::string& source) {
  return mean_over(outcome, {}, [&source](const PolicySample& sample) {
    return sample.source == source && sample.parts ? std::optional(sample.parts->load) : std::nullopt;
  });
}

std::optional<Interval> ttft_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                            const std::string& family) {
  return ratio_interval(above, below, family, ttft_of);
}

std::optional<Interval> quality_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                               const std::string& family) {
  return ratio_interval(above, below, family, outcome_quality);
}

std::optional<Interval> end_to_end_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below) {
  return ratio_interval(above, below, {}, end_to_end_of);
}

std::optional<Interval> hit_ratio_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                           const std::string& source) {
  return ratio_interval(above, below, {},
                        [&](const PolicySample& sample) { return std::optional(sample.source == source ? 1.0 : 0.0); });
}

std::optional<Interval> difference_interval(const PolicyOutcome& above, const PolicyOutcome& below,
                                            const std::function<double(const PolicySample&)>& value) {
  return paired_interval(
      above, below, {}, [&value](const PolicySample& sample) { return std::optional(value(sample)); },
      [](double one, double other) { return std::optional(one - other); });
}

void Span::add(double value) {
  low = n == 0 ? value : std::min(low, value);
  high = n == 0 ? value : std::max(high, value);
  sum += value;
  ++n;
}

Speedups speedups_at_equal_quality(const std::vector<const PolicyOutcome*>& ours,
                                   const std::vector<const PolicyOutcome*>& others, double tolerance,
                                   const std::string& family) {
  Speedups speedups;
  OutcomePairs pairs;
  for (const PolicyOutcome* our : ours) {
    const double quality = figure_of(*our, family, outcome_quality), seconds = figure_of(*our, family, ttft_of);
    double fastest = std::numeric_limits<double>::infinity();
    const PolicyOutcome* compared = nullptr;
    for (const PolicyOutcome* other : others)
      if (const double theirs = figure_of(*other, family, ttft_of);
          theirs < fastest && figure_of(*other, family, outcome_quality) >= quality * (1 - tolerance)) {
        fastest = theirs;
        compared = other;
      }
    if (compared != nullptr && seconds > 0)
      pairs.add(speedups, fastest / seconds, 1, compared, our);
    else
      ++speedups.unreached;
  }
  if (pairs.of.empty()) return speedups;
  speedups.low_interval = ttft_ratio_interval(*pairs.of[pairs.min].first, *pairs.of[pairs.min].second, family);
  speedups.high_interval = ttft_ratio_interval(*pairs.of[pairs.max].first, *pairs.of[pairs.max].second, family);
  return speedups;
}

Speedups quality_rises_at_equal_ttft(const std::vector<const PolicyOutcome*>& ours,
                                     const std::vector<const PolicyOutcome*>& others, double tolerance,
                                     const std::string& family) {
  Speedups rises;
  OutcomePairs pairs;
  for (const PolicyOutcome* our : ours) {
    const double quality = figure_of(*our, family, outcome_quality), seconds = figure_of(*our, family, ttft_of);
    double best = 0;
    const PolicyOutcome* compared = nullptr;
    for (const PolicyOutcome* other : others)
      if (const double theirs = figure_of(*other, family, outcome_quality);
          theirs > best && figure_of(*other, family, ttft_of) <= seconds * (1 + tolerance)) {
        best = theirs;
        compared = other;
      }
    if (compared != nullptr)
      pairs.add(rises, quality / best - 1, 0, our, compared);
    else
      ++rises.unreached;
  }
  if (pairs.of.empty()) return rises;
  const auto rise = [&](std::size_t pair) -> std::optional<Interval> {
    const auto gain = quality_ratio_interval(*pairs.of[pair].first, *pairs.of[pair].second, family);
    return gain ? std::optional(Interval{gain->low - 1, gain->high - 1}) : std::nullopt;
  };
  rises.low_interval = rise(pairs.min);
  rises.high_interval = rise(pairs.max);
  return rises;
}

const PolicyOutcome* fastest_near(const std::vector<const PolicyOutcome*>& ours, double full_quality, double lost) {
  const PolicyOutcome* fastest = nullptr;
  for (const PolicyOutcome* our : ours)
    if (mean_quality(*our).mean >= full_quality * (1 - lost) &&
        (fastest == nullptr || mean_ttft(*our).mean < mean_ttft(*fastest).mean))
      fastest = our;
  return fastest;
}

}  // namespace kvantage::inline experiments
