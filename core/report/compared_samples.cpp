#include "core/report/compared_samples.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/ports/run_calibration.h"
#include "core/report/request_facts.h"

namespace kvantage::inline report {
namespace {

using Statistic = ComparedSample::Statistic;

/// Questions that both runs asked, in question order.
struct SamplePairs {
  std::vector<double> before, after;
  std::vector<std::string> contexts;
  std::size_t asked = 0;  // of the run with more questions
};

struct Asked {
  double value = 0;
  std::string context;
};

// The i-th time that a question about a context was asked.
std::map<std::string, Asked> by_question(const PolicyRun& run, const ComparedSample& sample) {
  std::map<std::string, Asked> values;
  std::map<std::string, int> asked;
  for (const RequestRecord& record : run.records) {
    if (record.cancelled) continue;
    std::string question = record.context_id + "\n" + record.question;
    question += "\n" + std::to_string(asked[question]++);
    if (const auto value = sample.sample(record)) values[question] = {*value, record.context_id};
  }
  return values;
}

SamplePairs pairs_of(const PolicyRun& before, const PolicyRun& after, const ComparedSample& sample) {
  const auto first = by_question(before, sample), second = by_question(after, sample);
  SamplePairs pairs;
  pairs.asked = std::max(first.size(), second.size());
  for (const auto& [question, asked] : second)
    if (const auto found = first.find(question); found != first.end()) {
      pairs.before.push_back(found->second.value);
      pairs.after.push_back(asked.value);
      pairs.contexts.push_back(asked.context);
    }
  return pairs;
}

struct Difference {
  bool none = true;  // all differences are zero
  std::optional<Interval> interval;
};

Difference difference_of(const SamplePairs& pairs, Statistic statistic) {
  Difference difference;
  std::vector<double> differences;
  for (std::size_t i = 0; i < pairs.after.size(); ++i) {
    differences.push_back(pairs.after[i] - pairs.before[i]);
    difference.none = difference.none && differences.back() == 0;
  }
  if (difference.none) return difference;
  constexpr double fraction = 0.95;
  difference.interval = statistic == Statistic::mean
                            ? bootstrap_interval(differences, pairs.contexts)
                            : bootstrap_percentile_difference(pairs.before, pairs.after, pairs.contexts, fraction);
  return difference;
}

bool apart(const Interval& a, const Interval& b) { return a.low > b.high || a.high < b.low; }

void judge_pairs(ComparedValue& value, const SamplePairs& pairs, const ComparedSample& sample, Judgment lower,
                 Judgment higher) {
  value.pairs = pairs.after.size();
  const Difference difference = difference_of(pairs, sample.statistic);
  if (difference.none) {
    value.judgment = Judgment::same;
    value.verdict = "the same for each of " + std::to_string(value.pairs) + " questions";
    return;
  }
  if (!difference.interval) {
    value.judgment = Judgment::unknown;
    value.verdict = "not known: " + std::to_string(value.pairs) + " pairs of one context give no interval";
    return;
  }
  const int digits = compared_digits(sample.unit);
  const double low = difference.interval->low * sample.factor, high = difference.interval->high * sample.factor;
  value.delta_interval = Interval{low, high};
  const std::string said = "[" + format_fixed(low, digits) + ", " + format_fixed(high, digits) + "] over " +
                           std::to_string(value.pairs) + " pairs";
  if (low <= 0 && high >= 0) {
    value.judgment = Judgment::no_difference;
    value.verdict = "not significant: " + said + " includes 0";
    return;
  }
  value.judgment = high < 0 ? lower : higher;
  value.verdict = (value.judgment == Judgment::better ? "better: " : "worse: ") + said + " excludes 0";
}

const Distribution* sample_quality(const PolicyRow& row, const std::string& metric) {
  const auto found = row.quality.find(metric);
  return found == row.quality.end() ? nullptr : &found->second;
}

/// Per decoded token of a request with decode_offload; nothing for others.
std::optional<double> offload_sample(const RequestRecord& record, double (*sum)(const OffloadRecord&)) {
  const auto& offload = record.decoding.offload;
  if (!offload || !offload->used() || offload->steps == 0) return std::nullopt;
  return offload->per_step(sum(*offload));
}

void add_offload_samples(std::vector<ComparedSample>& list) {
  list.push_back({.name = "decode_offload, recomputed tokens",
                  .unit = "",
                  .factor = 1,
                  .distribution = [](const PolicyRow& row, const std::string&) -> const Distribution* {
                    return &row.decoding.offload_recomputed_tokens;
                  },
                  .sample =
                      [](const RequestRecord& record) {
                        return offload_sample(record, [](const OffloadRecord& offload) {
                          return static_cast<double>(offload.recomputed_tokens);
                        });
                      },
                  .lower_is_better = false});
  list.push_back({.name = "decode_offload, read per token",
                  .unit = "MiB",
                  .factor = 1.0 / (1 << 20),
                  .distribution = [](const PolicyRow& row, const std::string&) -> const Distribution* {
                    return &row.decoding.offload_read_bytes;
                  },
                  .sample =
                      [](const RequestRecord& record) {
                        return offload_sample(record, [](const OffloadRecord& offload) {
                          return static_cast<double>(offload.read_bytes());
                        });
                      }});
}

/// Bytes of a request's cache; runs of earlier versions have none.
void add_cache_samples(std::vector<ComparedSample>& list, const std::vector<ComparedSide>& sides) {
  const auto add = [&](const char* name, const Distribution* (*distribution)(const PolicyRow&, const std::string&),
                       std::uint64_t DecodingRecord::*bytes) {
    if (std::ranges::none_of(sides, [&](const ComparedSide& side) { return distribution(side.row, {})->n > 0; }))
      return;
    list.push_back({.name = name,
                    .unit = "MiB",
                    .factor = 1.0 / (1 << 20),
                    .distribution = distribution,
                    .sample = [bytes](const RequestRecord& record) {
                      return record.decoding.*bytes > 0 ? std::optional(static_cast<double>(record.decoding.*bytes))
                                                        : std::nullopt;
                    }});
  };
  constexpr auto peak = [](const PolicyRow& row, const std::string&) { return &row.decoding.peak_kv_bytes; };
  constexpr auto held = [](const PolicyRow& row, const std::string&) { return &row.decoding.held_kv_bytes; };
  add("peak KV cache of a request", peak, &DecodingRecord::peak_bytes);
  add("KV cache at the end of an answer", held, &DecodingRecord::held_bytes);
}

void add_quality_samples(std::vector<ComparedSample>& list, const std::vector<ComparedSide>& sides) {
  std::vector<std::string> metrics;
  for (const ComparedSide& side : sides)
    for (const auto& [metric, ignored] : side.row.quality)
      if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  for (const std::string& metric : metrics)
    list.push_back({.name = "quality, " + metric,
                    .unit = "1",
                    .distribution = sample_quality,
                    .metric = metric,
                    .sample = [metric](const RequestRecord& record) -> std::optional<double> {
                      const auto found = record.quality.find(metric);
                      return record.held_out && found != record.quality.end() ? std::optional(found->second)
                                                                              : std::nullopt;
                    },
                    .lower_is_better = false});  // logit_kl, too, is a score: exp(-KL)
}

}  // namespace

std::vector<ComparedSample> compared_samples(const std::vector<ComparedSide>& sides) {
  std::vector<ComparedSample> list;
  const auto time = [&](const char* name, const Distribution* (*distribution)(const PolicyRow&, const std::string&),
                        double RequestTiming::*member, Statistic statistic = Statistic::mean) {
    list.push_back({.name = name,
                    .unit = "ms",
                    .factor = 1e3,
                    .distribution = distribution,
                    .sample = [member](const RequestRecord& record) { return std::optional(record.timing.*member); },
                    .statistic = statistic});
  };
  constexpr auto service = [](const PolicyRow& row, const std::string&) { return &row.ttft_service_seconds; };
  constexpr auto queued = [](const PolicyRow& row, const std::string&) { return &row.ttft_seconds; };
  time("TTFT, service", service, &RequestTiming::ttft_service_seconds);
  time("TTFT, service, p95", service, &RequestTiming::ttft_service_seconds, Statistic::p95);
  time("TTFT, with queue", queued, &RequestTiming::ttft_seconds);
  time("TTFT, with queue, p95", queued, &RequestTiming::ttft_seconds, Statistic::p95);
  list.push_back({.name = "inter-token latency",
                  .unit = "ms",
                  .factor = 1e3,
                  .distribution = [](const PolicyRow& row, const std::string&) -> const Distribution* {
                    return &row.decoding.itl_seconds;
                  },
                  .sample =
                      [](const RequestRecord& record) {
                        return record.answer_tokens > 1 ? std::optional(record.timing.mean_itl_seconds) : std::nullopt;
                      }});
  time(
      "end to end", [](const PolicyRow& row, const std::string&) { return &row.e2e_seconds; },
      &RequestTiming::e2e_seconds);
  add_cache_samples(list, sides);
  if (std::ranges::any_of(sides, [](const ComparedSide& side) { return side.row.decoding.offload_step_seconds.n > 0; }))
    add_offload_samples(list);
  list.push_back(
      {.name = "recomputed context tokens",
       .unit = "1",
       .distribution = [](const PolicyRow& row, const std::string&) -> const Distribution* {
         return &row.decoding.recomputed_tokens;
       },
       .sample =
           [](const RequestRecord& record) { return std::optional(static_cast<double>(recomputed_tokens(record))); }});
  list.push_back(
      {.name = "served from tiers",
       .unit = "%",
       .factor = 100,
       .distribution = [](const PolicyRow& row, const std::string&) -> const Distribution* { return &row.hit_rate; },
       .sample = [](const RequestRecord& record) { return std::optional(is_hit(record) ? 1.0 : 0.0); },
       .lower_is_better = false});
  add_quality_samples(list, sides);
  return list;
}

std::optional<ComparedValue> compared_value(const ComparedSide& side, const ComparedSample& sample) {
  const Distribution* distribution = sample.distribution(side.row, sample.metric);
  if (distribution == nullptr || distribution->n == 0) return std::nullopt;
  const bool mean = sample.statistic == Statistic::mean;
  ComparedValue value;
  value.value = (mean ? distribution->mean : distribution->p95) * sample.factor;
  value.n = distribution->n;
  value.contexts = distribution->contexts;
  value.provenance = distribution->provenance;
  if (const auto& interval = mean ? distribution->interval : distribution->p95_interval)
    value.interval = Interval{interval->low * sample.factor, interval->high * sample.factor};
  return value;
}

void judge(ComparedValue& value, const ComparedSide& side, const ComparedValue& base, const ComparedSide& baseline,
           const ComparedSample& sample) {
  value.delta = value.value - base.value;
  if (const bool own = !side.run.unfinished.empty(); own || !baseline.run.unfinished.empty()) {
    value.judgment = Judgment::incomplete;
    value.verdict = own ? "not judged: the run is not complete (" + side.run.unfinished + ")"
                        : "not judged: the baseline is not complete (" + baseline.run.unfinished + ")";
    return;
  }
  const Judgment lower = sample.lower_is_better ? Judgment::better : Judgment::worse;
  const Judgment higher = sample.lower_is_better ? Judgment::worse : Judgment::better;
  const SamplePairs pairs = pairs_of(baseline.run, side.run, sample);
  const bool paired = !pairs.after.empty() && pairs.after.size() * 2 >= pairs.asked;
  if (sample.is_time() &&
      calibration_moved(side.calibration_seconds, baseline.calibration_seconds) > calibration_bound) {
    value.pairs = paired ? pairs.after.size() : 0;
    value.judgment = Judgment::disturbed;
    value.verdict = "not judged: the machine was disturbed";
    return;
  }
  if (paired) return judge_pairs(value, pairs, sample, lower, higher);
  if (!value.interval || !base.interval) {
    value.judgment = Judgment::unknown;
    value.verdict = "not known: without an interval";
    return;
  }
  if (!apart(*value.interval, *base.interval)) {
    value.judgment = Judgment::no_difference;
    value.verdict = "not significant: the 95 % intervals overlap (other questions were asked)";
    return;
  }
  value.judgment = *value.delta < 0 ? lower : higher;
  value.verdict = std::string(value.judgment == Judgment::better ? "better" : "worse") +
                  ": the 95 % intervals do not overlap (other questions were asked)";
}

}  // namespace kvantage::inline report
