#include "core/report/compared_samples.h"

#include <algorithm>
#include <array>

#include "core/base/two_level_bootstrap.h"
#include "core/base/units.h"
#include "core/ports/run_calibration.h"
#include "core/report/answer_basis.h"
#include "core/report/request_facts.h"

namespace kvantage::inline report {
namespace {

using Statistic = ComparedSample::Statistic;

/// Questions that every run of both sides asked, in question order.
struct SamplePairs {
  RepeatedPairs repeated;
  std::size_t asked = 0;  // of the run with the most questions
  std::size_t size() const { return repeated.groups.size(); }
  bool single() const { return repeated.before.size() < 2 || repeated.after.size() < 2; }
};

struct Asked {
  double value = 0;
  std::string context;
};
using AskedQuestions = std::map<std::string, Asked>;

// The i-th time that a question about a context was asked.
AskedQuestions by_question(const std::vector<RequestRecord>& records, const ComparedSample& sample) {
  AskedQuestions values;
  std::map<std::string, int> asked;
  for (const RequestRecord& record : records) {
    if (record.cancelled) continue;
    std::string question = record.context_id + "\n" + record.question;
    question += "\n" + std::to_string(asked[question]++);
    if (const auto value = sample.sample(record)) values[question] = {*value, record.context_id};
  }
  return values;
}

std::vector<AskedQuestions> asked_in_runs(const ComparedSide& side, const ComparedSample& sample) {
  if (side.repeats.empty()) return {by_question(side.run.records, sample)};
  std::vector<AskedQuestions> runs;
  runs.reserve(side.repeats.size());
  for (const auto& records : side.repeats) runs.push_back(by_question(records, sample));
  return runs;
}

/// Repetitions of one command take turns: block after block, each has one run.
bool same_command(const ComparedSide& one, const ComparedSide& other) {
  const auto command = [](const ComparedSide& side) { return side.key.substr(0, side.key.find('\n')); };
  return !one.key.empty() && command(one) == command(other) && one.runs() == other.runs();
}

SamplePairs pairs_of(const ComparedSide& before, const ComparedSide& after, const ComparedSample& sample) {
  const std::vector<AskedQuestions> first = asked_in_runs(before, sample), second = asked_in_runs(after, sample);
  SamplePairs pairs;
  pairs.repeated.in_blocks = same_command(before, after);
  pairs.repeated.before.resize(first.size());
  pairs.repeated.after.resize(second.size());
  for (const auto* runs : {&first, &second})
    for (const AskedQuestions& run : *runs) pairs.asked = std::max(pairs.asked, run.size());
  const auto everywhere = [](const std::vector<AskedQuestions>& runs, const std::string& question) {
    return std::ranges::all_of(runs, [&](const AskedQuestions& run) { return run.contains(question); });
  };
  for (const auto& [question, asked] : second.front()) {
    if (!everywhere(first, question) || !everywhere(second, question)) continue;
    for (std::size_t run = 0; run < first.size(); ++run)
      pairs.repeated.before[run].push_back(first[run].at(question).value);
    for (std::size_t run = 0; run < second.size(); ++run)
      pairs.repeated.after[run].push_back(second[run].at(question).value);
    pairs.repeated.groups.push_back(asked.context);
  }
  return pairs;
}

/// Every run of both sides has the same value for each question.
bool all_the_same(const RepeatedPairs& pairs) {
  const auto same = [&](const std::vector<double>& run) { return run == pairs.before.front(); };
  return std::ranges::all_of(pairs.before, same) && std::ranges::all_of(pairs.after, same);
}

TwoLevelDifference difference_of(const SamplePairs& pairs, Statistic statistic) {
  constexpr double fraction = 0.95;
  const RepeatedPairs& of = pairs.repeated;
  if (statistic == Statistic::mean) return two_level_difference(of);
  if (of.before.size() > 1 || of.after.size() > 1) return two_level_percentile_difference(of, fraction);
  TwoLevelDifference one;
  one.interval = bootstrap_percentile_difference(of.before.front(), of.after.front(), of.groups, fraction);
  return one;
}

bool apart(const Interval& a, const Interval& b) { return a.low > b.high || a.high < b.low; }

/// "60 pairs", "60 pairs of 5 runs", "60 pairs of 5 + 3 runs".
std::string pairs_text(const SamplePairs& pairs) {
  const std::size_t before = pairs.repeated.before.size(), after = pairs.repeated.after.size();
  std::string text = std::to_string(pairs.size()) + " pairs";
  if (before == 1 && after == 1) return text;
  text += " of " + std::to_string(before);
  return text + (after == before ? " runs" : " + " + std::to_string(after) + " runs");
}

std::size_t contexts_of(const SamplePairs& pairs) {
  std::vector<std::string> names = pairs.repeated.groups;
  std::ranges::sort(names);
  return static_cast<std::size_t>(std::ranges::unique(names).begin() - names.begin());
}

/// Times of single runs: what one run differs from the next one under the same settings is not known. What the program
/// accepts as the same machine may differ by calibration_bound.
bool may_be_noise(const SamplePairs& pairs, const ComparedSample& sample, const ComparedValue& base, Provenance times,
                  const Interval& interval) {
  if (!pairs.single() || !sample.is_time() || times > Provenance::throttled) return false;
  const double accepted = calibration_bound * base.value;
  return interval.low <= accepted && interval.high >= -accepted;
}

std::optional<PowerEstimate> judge_pairs(ComparedValue& value, const SamplePairs& pairs, const ComparedSample& sample,
                                         const ComparedValue& base, std::array<Judgment, 2> words) {
  value.pairs = pairs.size();
  if (all_the_same(pairs.repeated)) {
    value.judgment = Judgment::same;
    value.verdict = "the same for each of " + std::to_string(value.pairs) + " questions";
    return std::nullopt;
  }
  const TwoLevelDifference difference = difference_of(pairs, sample.statistic);
  if (!difference.interval) {
    value.judgment = Judgment::unknown;
    value.verdict = "not known: " + std::to_string(value.pairs) + " pairs of one context give no interval";
    return std::nullopt;
  }
  const int digits = compared_digits(sample.unit);
  const double low = difference.interval->low * sample.factor, high = difference.interval->high * sample.factor;
  value.delta_interval = Interval{low, high};
  std::optional<PowerEstimate> power;
  if (sample.is_time() && sample.statistic == Statistic::mean)
    power = runs_to_find(power_share * base.value / sample.factor, difference,
                         std::min(pairs.repeated.before.size(), pairs.repeated.after.size()), contexts_of(pairs));
  const std::string said =
      "[" + format_fixed(low, digits) + ", " + format_fixed(high, digits) + "] over " + pairs_text(pairs);
  if (low <= 0 && high >= 0) {
    value.judgment = Judgment::no_difference;
    value.verdict = "not significant: " + said + " includes 0";
  } else if (may_be_noise(pairs, sample, base, std::max(value.provenance, base.provenance), *value.delta_interval)) {
    value.judgment = Judgment::unrepeated;
    value.verdict =
        "not judged: " + said + " may be the noise between single runs; serve each several times (--repeat)";
  } else {
    value.judgment = high < 0 ? words[0] : words[1];
    value.verdict = (value.judgment == Judgment::better ? "better: " : "worse: ") + said + " excludes 0";
  }
  return power;
}

const Distribution* sample_quality(const PolicyRow& row, const std::string& metric) {
  const auto found = row.quality.find(metric);
  return found == row.quality.end() ? nullptr : &found->second;
}

/// Per decoded token of a request with decode_offload; nothing for others.
std::optional<double> offload_sample(const RequestRecord& record, double (*sum)(const OffloadRecord&)) {
  const auto& offload = record.decoding.offload;
  if (!offload || !offload->decoded()) return std::nullopt;
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

/// Of answers that speculation was applied to.
void add_speculation_sample(std::vector<ComparedSample>& list, const std::vector<ComparedSide>& sides) {
  if (std::ranges::none_of(sides, [](const ComparedSide& side) { return side.row.decoding.tokens_per_pass.n > 0; }))
    return;
  list.push_back({.name = "speculation, tokens per pass",
                  .unit = "1",
                  .distribution = [](const PolicyRow& row, const std::string&) -> const Distribution* {
                    return &row.decoding.tokens_per_pass;
                  },
                  .sample = [](const RequestRecord& record) -> std::optional<double> {
                    const auto& speculation = record.decoding.speculation;
                    if (!speculation || !speculation->decoded()) return std::nullopt;
                    return speculation->tokens_per_pass();
                  },
                  .lower_is_better = false});
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

void add_quality_samples(std::vector<ComparedSample>& list, const std::vector<ComparedSide>& sides,
                         const AnswerBasis& basis) {
  std::vector<std::string> metrics;
  for (const ComparedSide& side : sides)
    for (const auto& [metric, ignored] : side.row.quality)
      if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  for (const std::string& metric : metrics)
    list.push_back({.name = compared_quality_name(metric, basis),
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

std::vector<ComparedSample> compared_samples(const std::vector<ComparedSide>& sides, const AnswerBasis& basis) {
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
  add_speculation_sample(list, sides);
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
  add_quality_samples(list, sides, basis);
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

std::optional<PowerEstimate> judge(ComparedValue& value, const ComparedSide& side, const ComparedValue& base,
                                   const ComparedSide& baseline, const ComparedSample& sample) {
  value.delta = value.value - base.value;
  if (const bool own = !side.run.unfinished.empty(); own || !baseline.run.unfinished.empty()) {
    value.judgment = Judgment::incomplete;
    value.verdict = own ? "not judged: the run is not complete (" + side.run.unfinished + ")"
                        : "not judged: the baseline is not complete (" + baseline.run.unfinished + ")";
    return std::nullopt;
  }
  const Judgment lower = sample.lower_is_better ? Judgment::better : Judgment::worse;
  const Judgment higher = sample.lower_is_better ? Judgment::worse : Judgment::better;
  const SamplePairs pairs = pairs_of(baseline, side, sample);
  const bool paired = pairs.size() > 0 && pairs.size() * 2 >= pairs.asked;
  if (sample.is_time() &&
      calibration_moved(side.calibration_seconds, baseline.calibration_seconds) > calibration_bound) {
    value.pairs = paired ? pairs.size() : 0;
    value.judgment = Judgment::disturbed;
    value.verdict = "not judged: the machine was disturbed";
    return std::nullopt;
  }
  if (paired) return judge_pairs(value, pairs, sample, base, {lower, higher});
  if (!value.interval || !base.interval) {
    value.judgment = Judgment::unknown;
    value.verdict = "not known: without an interval";
    return std::nullopt;
  }
  if (!apart(*value.interval, *base.interval)) {
    value.judgment = Judgment::no_difference;
    value.verdict = "not significant: the 95 % intervals overlap (other questions were asked)";
    return std::nullopt;
  }
  const Interval between{value.interval->low - base.interval->high, value.interval->high - base.interval->low};
  if (may_be_noise(pairs, sample, base, std::max(value.provenance, base.provenance), between)) {
    value.judgment = Judgment::unrepeated;
    value.verdict =
        "not judged: the difference may be the noise between single runs; serve each several times (--repeat)";
    return std::nullopt;
  }
  value.judgment = *value.delta < 0 ? lower : higher;
  value.verdict = std::string(value.judgment == Judgment::better ? "better" : "worse") +
                  ": the 95 % intervals do not overlap (other questions were asked)";
  return std::nullopt;
}

std::vector<const PolicyRun*> answering_runs(const std::vector<ComparedSide>& sides) {
  std::vector<const PolicyRun*> runs;
  runs.reserve(sides.size());
  for (const ComparedSide& side : sides) runs.push_back(&side.run);
  return runs;
}

std::string quality_gate(const ChanceGate& gate, const std::string& metric) {
  if (!gate.closed()) return {};
  const std::string text = "quality cannot be compared here: with uncompressed caches " + metric + " is ";
  if (gate.finding == ChanceGate::Finding::zero) return text + "0; " + unknown_chance_text(gate);
  return text + format_fixed(gate.uncompressed, 3) + ", not above that of answers to other questions (" +
         format_fixed(gate.chance, 3) + ")";
}

}  // namespace kvantage::inline report
