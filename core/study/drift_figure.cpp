#include "core/study/drift_figure.h"

#include <algorithm>
#include <map>

#include "core/policy/plan_words.h"

namespace kvantage {

namespace {

FigureTable cost_table(const std::vector<PolicyOutcome>& outcomes) {
  FigureTable table{"What profiling anew took", {"condition", "alpha s", "drifts found", "curves anew", "re-profiling s", "busy s", "share of busy %",
                                                "longest step ms", "longest prefill step ms"}, {}};
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
    table.rows.push_back({outcome.condition, outcome.alpha > 0 ? Json(outcome.alpha) : Json(), all.drifts, all.curves, all.reprofiling_seconds,
                          all.busy_seconds, all.busy_seconds > 0 ? Json(100 * all.reprofiling_seconds / all.busy_seconds) : Json(),
                          1e3 * all.longest_step_seconds, 1e3 * all.longest_prefill_step_seconds});
  }
  return table;
}

}  // namespace

FigureResult figure_drift(const std::vector<PolicyOutcome>& outcomes, std::size_t windows) {
  FigureResult result = begin_figure("000/10");
  FigureTable table{"In order of serving", {"condition", "alpha s", "part", "quality", "uncompressed quality", "predicted quality", "TTFT s", "n"}, {}};
  std::map<std::string, double> at_the_end, profiled;
  std::map<std::string, std::pair<double, double>> last_quarter;  // quality, and uncompressed
  for (const PolicyOutcome& outcome : outcomes) {
    // Seeds one behind the other, each of the same length.
    const std::size_t seeds = outcome.seeds > 0 ? static_cast<std::size_t>(outcome.seeds) : 1;
    const std::size_t length = outcome.samples.size() / seeds;
    for (std::size_t w = 0; w < windows; ++w) {
      PolicyOutcome part{outcome.policy, outcome.alpha, outcome.budget_fraction, outcome.seeds, {}, 0, outcome.condition};
      double predicted = 0, uncompressed = 0;
      std::size_t judged = 0, compared = 0;
      for (std::size_t s = 0; s < seeds; ++s)
        for (std::size_t i = length * w / windows; i < length * (w + 1) / windows; ++i) {
          const PolicySample& sample = outcome.samples[s * length + i];
          part.samples.push_back(sample);
          if (sample.uncompressed_quality) {
            uncompressed += *sample.uncompressed_quality;
            ++compared;
          }
          if (!sample.predicted_quality || !sample.quality) continue;
          predicted += *sample.predicted_quality;
          ++judged;
        }
      const double quality = mean_quality(part).mean;
      table.rows.push_back({outcome.condition, outcome.alpha > 0 ? Json(outcome.alpha) : Json(), w + 1, quality,
                            compared > 0 ? Json(uncompressed / static_cast<double>(compared)) : Json(), judged > 0 ? Json(predicted / static_cast<double>(judged)) : Json(), mean_ttft(part).mean,
                            part.samples.size()});
      if (w == 0 && judged > 0) profiled[outcome.condition] = predicted / static_cast<double>(judged);
      if (4 * (w + 1) > 3 * windows && compared > 0) {
        last_quarter[outcome.condition].first += quality;
        last_quarter[outcome.condition].second += uncompressed / static_cast<double>(compared);
      }
      if (w + 1 == windows) at_the_end[outcome.condition] = quality;
    }
  }
  result.tables = {std::move(table), cost_table(outcomes)};
  const auto anew = at_the_end.find("profiled anew"), once = at_the_end.find("profiled once");
  if (anew != at_the_end.end() && once != at_the_end.end() && once->second > 0)
    result.findings.push_back("in the last part quality is " + short_number(anew->second) + " with profiling anew and " +
                              short_number(once->second) + " without: " + short_number(100 * (anew->second / once->second - 1)) + " % more");
  for (const auto& [condition, quality] : at_the_end)
    if (const auto level = profiled.find(condition); level != profiled.end() && level->second > 0)
      result.findings.push_back(condition + ": the last part is " + short_number(100 * (1 - quality / level->second)) +
                                " % below the profiled level of the first, " + short_number(level->second));
  for (const auto& [condition, sums] : last_quarter)
    if (sums.second > 0)
      result.findings.push_back(condition + ": the last quarter is " + short_number(100 * (1 - sums.first / sums.second)) +
                                " % below what the uncompressed cache answers to the same questions");
  return result;
}

}  // namespace kvantage
