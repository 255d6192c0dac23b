#include "core/experiments/drift_figure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

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

/// Results of one policy under one condition, in equal parts of the run.
struct Parts {
  std::string condition;
  std::vector<PolicyOutcome> parts;
  std::vector<PolicyMean> predicted, uncompressed;
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

Parts parts_of(const PolicyOutcome& outcome, std::size_t windows) {
  Parts cut{outcome.condition, {}, {}, {}};
  // Seeds are concatenated, each of the same length.
  const std::size_t seeds = outcome.seeds > 0 ? static_cast<std::size_t>(outcome.seeds) : 1;
  const std::size_t length = outcome.samples.size() / seeds;
  for (std::size_t w = 0; w < windows; ++w) {
    PolicyOutcome part{outcome.policy, outcome.alpha, outcome.budget_fraction, outcome.seeds, {}, 0, outcome.condition};
    for (std::size_t s = 0; s < seeds; ++s)
      for (std::size_t i = length * w / windows; i < length * (w + 1) / windows; ++i)
        part.samples.push_back(outcome.samples[s * length + i]);
    cut.predicted.push_back(mean_of_samples(
        part, [](const PolicySample& sample) { return sample.quality ? sample.predicted_quality : std::nullopt; }));
    cut.uncompressed.push_back(
        mean_of_samples(part, [](const PolicySample& sample) { return sample.uncompressed_quality; }));
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

/// What re-profiling changes: quality in the last part, and TTFT where it is highest.
struct PartsComparison {
  std::vector<std::string> findings, time_findings;
  std::optional<MeasuredSpan> quality_gain, ttft_peak;  // ratio - 1; ratio
};

PartsComparison compare_parts(const Parts& reprofiled, const Parts& once) {
  PartsComparison compared;
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
  double peak = 0, end = 0;
  std::size_t at = 0;
  for (std::size_t w = 0; w <= last; ++w) {
    const double without = mean_ttft(once.parts[w]).mean;
    if (!(without > 0)) return compared;
    end = mean_ttft(reprofiled.parts[w]).mean / without;
    if (end <= peak) continue;
    peak = end;
    at = w;
  }
  compared.ttft_peak = measured_value(peak, ttft_ratio_interval(reprofiled.parts[at], once.parts[at]));
  compared.time_findings.push_back("TTFT with re-profiling is at most " + short_number(peak) +
                                   " times that without (part " + std::to_string(at + 1) + ") and " +
                                   short_number(end) + " times in the last part" +
                                   (peak <= 1                   ? ": TTFT never rises"
                                    : end - 1 <= (peak - 1) / 2 ? ": TTFT rises temporarily"
                                                                : ": TTFT is still elevated at the end"));
  return compared;
}

}  // namespace

FigureResult figure_drift(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes, std::size_t windows) {
  FigureResult result = begin_figure(figure);
  FigureTable table{"In request order, 95 % intervals over contexts",
                    {"condition", "alpha s", "part", "quality", "low", "high", "uncompressed quality", "low", "high",
                     "predicted quality", "low", "high", "TTFT s", "low", "high", "n"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "part",
                          .y = {"quality", "uncompressed quality"},
                          .y_title = "quality",
                          .by = {"condition", "alpha s"}};
  std::map<std::string, std::vector<Parts>> by_policy;
  for (const PolicyOutcome& outcome : outcomes) {
    Parts cut = parts_of(outcome, windows);
    for (std::size_t w = 0; w < windows; ++w) {
      std::vector<Json> row{outcome.condition, alpha_of(outcome), w + 1};
      add_cells(row, mean_quality(cut.parts[w]));
      add_cells(row, cut.uncompressed[w]);
      add_cells(row, cut.predicted[w]);
      add_cells(row, mean_ttft(cut.parts[w]));
      row.push_back(cut.parts[w].samples.size());
      table.rows.push_back(std::move(row));
    }
    by_policy[name_of(outcome)].push_back(std::move(cut));
  }
  result.tables = {std::move(table), cost_table(outcomes)};
  const std::set<std::string> papers = compared_names(outcomes);
  std::vector<MeasuredSpan> gains, peaks;
  for (const auto& [name, runs] : by_policy) {
    PartsComparison compared;
    const auto under = [&](const char* condition) { return std::ranges::find(runs, condition, &Parts::condition); };
    const auto reprofiled = under("re-profiled"), once = under("profiled once");
    if (windows > 0 && reprofiled != runs.end() && once != runs.end()) compared = compare_parts(*reprofiled, *once);
    if (papers.contains(name)) {
      if (compared.quality_gain) gains.push_back(*compared.quality_gain);
      if (compared.ttft_peak) peaks.push_back(*compared.ttft_peak);
    }
    for (const Parts& run : runs) {
      if (windows == 0) break;
      const PolicyMean& level = run.predicted.front();
      if (level.n > 0 && level.mean > 0)
        compared.findings.push_back(run.condition + ": quality in the last part is " +
                                    short_number(100 * (1 - mean_quality(run.parts.back()).mean / level.mean)) +
                                    " % below the profiled quality of the first, " + short_number(level.mean));
      if (const std::string words = against_uncompressed(run); !words.empty()) compared.findings.push_back(words);
    }
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
  add_claim(result, "evicpress/reprofiling-quality", gains);
  add_claim(result, "evicpress/reprofiling-quality-about-10", gains);
  add_claim(result, "evicpress/reprofiling-latency", peaks, true);
  return result;
}

}  // namespace kvantage::inline experiments
