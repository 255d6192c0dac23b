#include "core/experiments/drift_figure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/figure_text.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {

namespace {

FigureTable cost_table(const std::vector<PolicyOutcome>& outcomes) {
  FigureTable table{"Cost of re-profiling",
                    {"condition", "alpha s", "drifts found", "re-profiled curves", "re-profiling s", "busy s",
                     "share of busy %", "longest step ms", "longest prefill step ms"},
                    {}};
  for (const PolicyOutcome& outcome : outcomes) {
    ReprofilingCost all;
    for (const ReprofilingCost& cost : outcome.costs) {
      all.busy_seconds += cost.busy_seconds;
      all.reprofiling_seconds += cost.reprofiling_seconds;
      all.drifts += cost.drifts;
      all.curves += cost.curves;
      all.longest_step_seconds = std::max(all.longest_step_seconds, cost.longest_step_seconds);
      all.longest_prefill_step_seconds = std::max(all.longest_prefill_step_seconds, cost.longest_prefill_step_seconds);
    }
    table.rows.push_back({outcome.condition, alpha_of(outcome), all.drifts, all.curves, all.reprofiling_seconds,
                          all.busy_seconds,
                          all.busy_seconds > 0 ? Json(100 * all.reprofiling_seconds / all.busy_seconds) : Json(),
                          1e3 * all.longest_step_seconds, 1e3 * all.longest_prefill_step_seconds});
  }
  return table;
}

/// A request of a seed's sequence, the same one under every condition: seed, context, question, and how often the
/// question was asked before.
using SequenceRequest = std::tuple<std::size_t, std::string_view, std::string_view, std::size_t>;

/// Of each sample, in their order. Seeds are concatenated, each of the same length.
std::vector<SequenceRequest> sequence_requests(const PolicyOutcome& outcome) {
  const std::size_t seeds = outcome.seeds > 0 ? static_cast<std::size_t>(outcome.seeds) : 1;
  const std::size_t length = outcome.samples.size() / seeds;
  std::map<std::tuple<std::size_t, std::string_view, std::string_view>, std::size_t> asked;
  std::vector<SequenceRequest> requests;
  for (std::size_t i = 0; i < outcome.samples.size(); ++i) {
    const PolicySample& sample = outcome.samples[i];
    const std::size_t seed = length > 0 ? i / length : 0;
    requests.emplace_back(seed, sample.context, sample.question, asked[{seed, sample.context, sample.question}]++);
  }
  return requests;
}

/// Requests whose question re-profiling had used under one of the conditions. A curve that was measured on a question
/// fits it better than those to come, so quality leaves them out; under all conditions, which then answer the same
/// questions.
std::set<SequenceRequest> requests_to_leave_out(const std::vector<const PolicyOutcome*>& conditions) {
  std::set<SequenceRequest> found;
  for (const PolicyOutcome* outcome : conditions) {
    const auto requests = sequence_requests(*outcome);
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (outcome->samples[i].in_profile) found.insert(requests[i]);
  }
  return found;
}

/// Results of one policy under one condition, in equal parts of the run.
struct Parts {
  std::string condition;
  std::vector<PolicyOutcome> parts;
  std::vector<PolicyMean> predicted, uncompressed;
  std::vector<std::size_t> left_out;  // requests of each part that have no quality here
};

template <class Value>
PolicyMean mean_of_samples(const PolicyOutcome& outcome, Value value) {
  std::vector<double> values;
  std::vector<std::string> contexts;
  for (const PolicySample& sample : outcome.samples)
    if (const std::optional<double> known = value(sample)) {
      values.push_back(*known);
      contexts.push_back(sample.context);
    }
  return {mean_of(values), bootstrap_interval(values, contexts), values.size()};
}

Parts parts_of(const PolicyOutcome& outcome, std::size_t windows, const std::set<SequenceRequest>& leave_out) {
  Parts cut{outcome.condition, {}, {}, {}, {}};
  const std::size_t seeds = outcome.seeds > 0 ? static_cast<std::size_t>(outcome.seeds) : 1;
  const std::size_t length = outcome.samples.size() / seeds;
  const auto requests = sequence_requests(outcome);
  for (std::size_t w = 0; w < windows; ++w) {
    PolicyOutcome part{outcome.policy, outcome.alpha, outcome.budget_fraction, outcome.seeds, {}, 0, outcome.condition};
    std::size_t left_out = 0;
    for (std::size_t s = 0; s < seeds; ++s)
      for (std::size_t i = length * w / windows; i < length * (w + 1) / windows; ++i) {
        PolicySample& sample = part.samples.emplace_back(outcome.samples[s * length + i]);
        if (!leave_out.contains(requests[s * length + i])) continue;
        sample.quality = sample.predicted_quality = sample.uncompressed_quality = std::nullopt;
        ++left_out;
      }
    cut.predicted.push_back(mean_of_samples(
        part, [](const PolicySample& sample) { return sample.quality ? sample.predicted_quality : std::nullopt; }));
    cut.uncompressed.push_back(
        mean_of_samples(part, [](const PolicySample& sample) { return sample.uncompressed_quality; }));
    cut.left_out.push_back(left_out);
    cut.parts.push_back(std::move(part));
  }
  return cut;
}

std::string against_uncompressed(const Parts& run) {
  double quality = 0, uncompressed = 0;
  for (std::size_t w = 0; w < run.parts.size(); ++w) {
    if (4 * (w + 1) <= 3 * run.parts.size() || run.uncompressed[w].n == 0) continue;
    quality += mean_quality(run.parts[w]).mean;
    uncompressed += run.uncompressed[w].mean;
  }
  if (!(uncompressed > 0)) return {};
  return run.condition + ": quality in the last quarter is " + short_number(100 * (1 - quality / uncompressed)) +
         " % below that of the uncompressed cache on the same questions";
}

/// What re-profiling changes: quality in the last part, and end-to-end latency where it is highest.
struct PartsComparison {
  std::vector<std::string> findings, time_findings;
  std::optional<MeasuredSpan> quality_gain;                  // ratio - 1
  std::optional<MeasuredSpan> latency_ratio, latency_after;  // ratios while questions drift, and in the last part
};

/// The parts of the run in which questions drift, first and last.
std::pair<std::size_t, std::size_t> drift_parts(const DriftSpan& drift, std::size_t parts) {
  const auto count = static_cast<double>(parts);
  const auto first = std::min(static_cast<std::size_t>(drift.begin * count), parts - 1);
  const auto end = std::min(static_cast<std::size_t>(std::ceil(drift.end * count)), parts);
  return {first, std::max(first + 1, end) - 1};
}

PolicyOutcome joined(const std::vector<PolicyOutcome>& parts, std::size_t first, std::size_t last) {
  PolicyOutcome all = parts[first];
  for (std::size_t w = first + 1; w <= last; ++w)
    all.samples.insert(all.samples.end(), parts[w].samples.begin(), parts[w].samples.end());
  return all;
}

/// End-to-end latency with re-profiling over that without. Nothing where the latter is 0.
std::optional<MeasuredSpan> latency_over(const PolicyOutcome& with, const PolicyOutcome& without) {
  const double baseline = mean_end_to_end(without).mean;
  if (!(baseline > 0)) return std::nullopt;
  return measured_value(mean_end_to_end(with).mean / baseline, end_to_end_ratio_interval(with, without));
}

/// The paper's claims are about latency while profiling runs, and about its return to the baseline. The part where it
/// is highest is known only afterwards, so its ratio is large by selection; these parts are known before.
void compare_drift_latency(const Parts& reprofiled, const Parts& once, const DriftSpan& drift,
                           PartsComparison& compared) {
  const auto [first, last] = drift_parts(drift, reprofiled.parts.size());
  compared.latency_ratio = latency_over(joined(reprofiled.parts, first, last), joined(once.parts, first, last));
  if (!compared.latency_ratio) return;
  if (last + 1 < reprofiled.parts.size())
    compared.latency_after = latency_over(reprofiled.parts.back(), once.parts.back());
  compared.time_findings.push_back(
      "end-to-end latency with re-profiling is " + short_number(compared.latency_ratio->low) +
      " times that without over parts " + std::to_string(first + 1) + " to " + std::to_string(last + 1) +
      ", where questions drift: this one is compared with the paper, as the highest part was chosen after looking");
}

void compare_latency(const Parts& reprofiled, const Parts& once, const std::optional<DriftSpan>& drift,
                     PartsComparison& compared) {
  const std::size_t last = reprofiled.parts.size() - 1;
  double peak = 0, end = 0;
  std::size_t at = 0;
  for (std::size_t w = 0; w <= last; ++w) {
    const double without = mean_end_to_end(once.parts[w]).mean;
    if (!(without > 0)) return;
    end = mean_end_to_end(reprofiled.parts[w]).mean / without;
    if (end <= peak) continue;
    peak = end;
    at = w;
  }
  compared.time_findings.push_back("end-to-end latency with re-profiling is at most " + short_number(peak) +
                                   " times that without (part " + std::to_string(at + 1) + ") and " +
                                   short_number(end) + " times in the last part" +
                                   (peak <= 1                   ? ": latency never rises"
                                    : end - 1 <= (peak - 1) / 2 ? ": latency rises temporarily"
                                                                : ": latency is still elevated at the end"));
  if (drift) compare_drift_latency(reprofiled, once, *drift, compared);
}

PartsComparison compare_parts(const Parts& reprofiled, const Parts& once, const std::optional<DriftSpan>& drift) {
  PartsComparison compared;
  compare_latency(reprofiled, once, drift, compared);
  const std::size_t last = reprofiled.parts.size() - 1;
  const double first_once = mean_quality(once.parts[0]).mean, last_once = mean_quality(once.parts[last]).mean;
  const double first_reprofiled = mean_quality(reprofiled.parts[0]).mean,
               last_reprofiled = mean_quality(reprofiled.parts[last]).mean;
  if (!(first_once > 0) || !(last_once > 0) || !(first_reprofiled > 0)) return compared;
  const auto interval = quality_ratio_interval(reprofiled.parts[last], once.parts[last]);
  const auto percent = interval ? std::optional(Interval{interval->low - 1, interval->high - 1}) : std::nullopt;
  compared.quality_gain = measured_value(last_reprofiled / last_once - 1, percent);
  compared.findings.push_back(
      "in the last part quality is " + short_number(last_reprofiled) + " with re-profiling and " +
      short_number(last_once) + " without: " + short_number(100 * (last_reprofiled / last_once - 1)) + " %" +
      interval_text(percent, 100) + " higher" +
      (percent && percent->low <= 0 && percent->high >= 0 ? ", an interval that includes 0" : ""));
  const double lost = 1 - last_once / first_once, lost_reprofiled = 1 - last_reprofiled / first_reprofiled;
  compared.findings.push_back("from the first part to the last quality falls by " + short_number(100 * lost) +
                              " % without re-profiling and by " + short_number(100 * lost_reprofiled) + " % with it" +
                              (lost <= 0                    ? ": the drift costs no quality here"
                               : lost_reprofiled < lost / 2 ? ": quality recovers"
                                                            : ": quality does not recover"));
  return compared;
}

FigureTable quality_table() {
  FigureTable table{"Quality in request order, 95 % intervals over contexts",
                    {"condition", "alpha s", "part", "quality", "low", "high", "uncompressed quality", "low", "high",
                     "predicted quality", "low", "high", "n", "left out", "quality by chance"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "part",
                          .y = {"quality", "uncompressed quality"},
                          .y_title = "quality",
                          .by = {"condition", "alpha s"}};
  return table;
}

FigureTable latency_table() {
  FigureTable table{
      "Latency in request order, 95 % intervals over contexts",
      {"condition", "alpha s", "part", "end-to-end latency s", "low", "high", "TTFT s", "low", "high", "n"},
      {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "part",
                          .y = {"end-to-end latency s", "TTFT s"},
                          .y_title = "time, s",
                          .by = {"condition", "alpha s"}};
  return table;
}

void add_parts(const PolicyOutcome& outcome, const Parts& cut, FigureTable& quality, FigureTable& latency) {
  for (std::size_t w = 0; w < cut.parts.size(); ++w) {
    const PolicyOutcome& part = cut.parts[w];
    const PolicyMean answers = mean_quality(part);
    std::vector<Json> row{outcome.condition, alpha_of(outcome), w + 1};
    add_cells(row, answers);
    add_cells(row, cut.uncompressed[w]);
    add_cells(row, cut.predicted[w]);
    row.emplace_back(answers.n);
    row.emplace_back(cut.left_out[w]);
    row.push_back(chance_of(part));
    quality.rows.push_back(std::move(row));
    std::vector<Json> times{outcome.condition, alpha_of(outcome), w + 1};
    add_cells(times, mean_end_to_end(part));
    add_cells(times, mean_ttft(part));
    times.emplace_back(part.samples.size());
    latency.rows.push_back(std::move(times));
  }
}

/// The runs of one policy and alpha.
struct PolicyRuns {
  std::vector<const PolicyOutcome*> outcomes;
  std::vector<Parts> parts = {};
};

/// The paper's gain, in the quality that this run has without re-profiling.
void add_published_gain(FigureResult& result, const PolicyRuns& runs) {
  constexpr double gain = 1.11;
  const auto once = std::ranges::find(runs.parts, profiled_once_condition, &Parts::condition);
  if (once == runs.parts.end() || once->parts.empty()) return;
  const PolicyMean last = mean_quality(once->parts.back());
  if (last.n == 0) return;
  result.tables.front().plot->published.push_back(
      {"paper: 11 % above profiled once", once->parts.size(), gain * last.mean, gain * last.mean});
}

/// Nothing where re-profiling used no question.
std::string left_out_text(const PolicyRuns& runs) {
  std::size_t left_out = 0, requests = 0;
  for (std::size_t w = 0; w < runs.parts.front().parts.size(); ++w) {
    left_out += runs.parts.front().left_out[w];
    requests += runs.parts.front().parts[w].samples.size();
  }
  if (left_out == 0) return {};
  return "quality leaves out " + std::to_string(left_out) + " of " + std::to_string(requests) +
         " requests under each condition: re-profiling had used their questions";
}

}  // namespace

std::optional<DriftSpan> drift_in_run(const DriftSpan& whole, std::uint64_t whole_requests, std::uint64_t requests) {
  if (requests == 0) return std::nullopt;
  const double longer = static_cast<double>(whole_requests) / static_cast<double>(requests);
  const DriftSpan drift{whole.begin * longer, std::min(whole.end * longer, 1.0)};
  return drift.begin < 1 ? std::optional(drift) : std::nullopt;
}

FigureResult figure_drift(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                          const std::optional<DriftSpan>& drift, std::size_t windows) {
  FigureResult result = begin_figure(figure);
  FigureTable quality = quality_table(), latency = latency_table();
  std::map<std::string, PolicyRuns> by_policy;
  for (const PolicyOutcome& outcome : outcomes) by_policy[name_of(outcome)].outcomes.push_back(&outcome);
  for (const PolicyOutcome& outcome : outcomes) {
    PolicyRuns& runs = by_policy[name_of(outcome)];
    runs.parts.push_back(parts_of(outcome, windows, requests_to_leave_out(runs.outcomes)));
    add_parts(outcome, runs.parts.back(), quality, latency);
  }
  result.tables = {std::move(quality), std::move(latency), cost_table(outcomes)};
  const std::set<std::string> papers = compared_names(outcomes);
  std::vector<MeasuredSpan> gains, ratios, afterwards;
  for (const auto& [name, runs] : by_policy) {
    PartsComparison compared;
    const auto under = [&](const char* condition) {
      return std::ranges::find(runs.parts, condition, &Parts::condition);
    };
    const auto reprofiled = under(reprofiled_condition), once = under(profiled_once_condition);
    if (windows > 0 && reprofiled != runs.parts.end() && once != runs.parts.end())
      compared = compare_parts(*reprofiled, *once, drift);
    if (papers.contains(name)) {
      if (compared.quality_gain) gains.push_back(*compared.quality_gain);
      if (compared.latency_ratio) ratios.push_back(*compared.latency_ratio);
      if (compared.latency_after) afterwards.push_back(*compared.latency_after);
      if (drift) add_published_gain(result, runs);
    }
    for (const Parts& run : runs.parts) {
      if (windows == 0) break;
      const PolicyMean& level = run.predicted.front();
      if (level.n > 0 && level.mean > 0)
        compared.findings.push_back(run.condition + ": quality in the last part is " +
                                    short_number(100 * (1 - mean_quality(run.parts.back()).mean / level.mean)) +
                                    " % below the profiled quality of the first, " + short_number(level.mean));
      if (const std::string words = against_uncompressed(run); !words.empty()) compared.findings.push_back(words);
    }
    if (const std::string words = left_out_text(runs); !words.empty()) compared.findings.push_back(words);
    const auto add = [&, several = by_policy.size() > 1](const std::vector<std::string>& from,
                                                         std::vector<std::string>& to) {
      for (const std::string& words : from) {
        std::string& said = to.emplace_back(several ? name + ", " : std::string());
        said += words;
      }
    };
    add(compared.findings, result.findings);
    add(compared.time_findings, result.time_findings);
  }
  if (!name_rule(result, outcomes)) return result;
  if (!drift) {
    result.findings.emplace_back(no_drift_text);
    return result;
  }
  add_claim(result, "evicpress/reprofiling-quality", gains);
  add_claim(result, "evicpress/reprofiling-quality-about-10", gains);
  add_claim(result, "evicpress/reprofiling-latency", ratios, true);
  add_claim(result, "evicpress/reprofiling-latency-baseline", afterwards, true);
  return result;
}

}  // namespace kvantage::inline experiments
