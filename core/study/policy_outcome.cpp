#include "core/study/policy_outcome.h"

#include <algorithm>
#include <limits>

namespace kvantage {

namespace {

template <class Value>
PolicyMean mean_over(const PolicyOutcome& outcome, const std::string& family, Value value) {
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

}  // namespace

void add_records(PolicyOutcome& outcome, const std::vector<RequestRecord>& records, const std::string& quality_metric) {
  for (const RequestRecord& record : records) {
    if (record.cancelled) continue;
    PolicySample sample{record.context_id, record.family, record.source, record.timing.ttft_service_seconds,
                        record.timing.question_prefill_seconds, {}, {}, record.timing.ttft_seconds, record.timing.mean_itl_seconds, {}};
    const auto quality = record.quality.find(quality_metric);
    if (record.held_out && quality != record.quality.end()) sample.quality = quality->second;
    if (record.held_out && record.predicted_quality >= 0) sample.predicted_quality = record.predicted_quality;
    const auto uncompressed = record.quality_uncompressed.find(quality_metric);
    if (record.held_out && uncompressed != record.quality_uncompressed.end()) sample.uncompressed_quality = uncompressed->second;
    outcome.samples.push_back(std::move(sample));
  }
}

PolicyMean mean_ttft(const PolicyOutcome& outcome, const std::string& family) {
  return mean_over(outcome, family, [](const PolicySample& sample) { return std::optional(sample.ttft_seconds); });
}

PolicyMean mean_quality(const PolicyOutcome& outcome, const std::string& family) {
  return mean_over(outcome, family, [](const PolicySample& sample) { return sample.quality; });
}

PolicyMean mean_itl(const PolicyOutcome& outcome) {
  return mean_over(outcome, {}, [](const PolicySample& sample) {
    return sample.itl_seconds > 0 ? std::optional(sample.itl_seconds) : std::nullopt;  // answers of one token have none
  });
}

PolicyMean mean_ttft_with_queue(const PolicyOutcome& outcome) {
  return mean_over(outcome, {}, [](const PolicySample& sample) { return std::optional(sample.arrival_to_token_seconds); });
}

double ttft_with_queue_percentile(const PolicyOutcome& outcome, double fraction) {
  std::vector<double> seconds;
  for (const PolicySample& sample : outcome.samples) seconds.push_back(sample.arrival_to_token_seconds);
  return percentile(std::move(seconds), fraction);
}

double hit_rate(const PolicyOutcome& outcome, const std::string& source) {
  if (outcome.samples.empty()) return 0;
  const auto hits = std::count_if(outcome.samples.begin(), outcome.samples.end(),
                                  [&](const PolicySample& sample) { return sample.source == source; });
  return static_cast<double>(hits) / static_cast<double>(outcome.samples.size());
}

void Span::add(double value) {
  low = n == 0 ? value : std::min(low, value);
  high = n == 0 ? value : std::max(high, value);
  ++n;
}

Speedups speedups_at_equal_quality(const std::vector<const PolicyOutcome*>& ours,
                                   const std::vector<const PolicyOutcome*>& others, double tolerance,
                                   const std::string& family) {
  Speedups speedups;
  for (const PolicyOutcome* our : ours) {
    const double quality = mean_quality(*our, family).mean, seconds = mean_ttft(*our, family).mean;
    double fastest = std::numeric_limits<double>::infinity();
    for (const PolicyOutcome* other : others)
      if (mean_quality(*other, family).mean >= quality * (1 - tolerance))
        fastest = std::min(fastest, mean_ttft(*other, family).mean);
    if (fastest < std::numeric_limits<double>::infinity() && seconds > 0) speedups.span.add(fastest / seconds);
    else ++speedups.unreached;
  }
  return speedups;
}

Speedups quality_rises_at_equal_ttft(const std::vector<const PolicyOutcome*>& ours,
                                     const std::vector<const PolicyOutcome*>& others, double tolerance,
                                     const std::string& family) {
  Speedups rises;
  for (const PolicyOutcome* our : ours) {
    const double quality = mean_quality(*our, family).mean, seconds = mean_ttft(*our, family).mean;
    double best = -1;
    for (const PolicyOutcome* other : others)
      if (mean_ttft(*other, family).mean <= seconds * (1 + tolerance)) best = std::max(best, mean_quality(*other, family).mean);
    if (best > 0) rises.span.add(quality / best - 1);
    else ++rises.unreached;
  }
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

}  // namespace kvantage
