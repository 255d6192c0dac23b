#include "core/experiments/frontier_findings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/experiments/figure_text.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

std::string speed_sentence(const Speedups& speed, const std::string& others) {
  if (speed.span.n == 0) return "none of " + others + " reaches the quality of any of its points";
  return "speedup over the fastest of " + others + " at equal quality, times: " + span_text(speed);
}

std::string rise_sentence(const Speedups& rise, const std::string& others) {
  if (rise.span.n == 0) return "none of " + others + " reaches the TTFT of any of its points";
  return "quality gain over the best of " + others + " at equal TTFT, %: " + span_text(rise, 100);
}

/// With what chance scores: where that is near full quality, "within 3 %" says little.
std::string near_sentence(const MeasuredSpan& near, const std::string& other, const std::optional<double>& chance) {
  return "speedup over " + other + " within 3 % of full quality, times: " + short_number(near.low) +
         interval_text(near.low_interval) +
         (chance ? "; answers to other questions score " + short_number(100 * *chance) + " % of full quality" : "");
}

void count(PointsAbove& points, const std::optional<Speedups>& compared, double upper_end) {
  if (!compared || compared->span.n == 0 || !compared->low_interval || !compared->high_interval) return;
  ++points.points;
  points.above += compared->span.mean() > upper_end ? 1 : 0;
}

void count(PointsAbove& points, const std::optional<MeasuredSpan>& near, double upper_end) {
  if (!near || !near->low_interval) return;
  ++points.points;
  points.above += near->low > upper_end ? 1 : 0;
}

}  // namespace

std::vector<std::string> frontier_findings(const FrontierComparison& compared) {
  std::vector<std::string> findings;
  const std::string where =
      "evicpress by " + compared.rule + " at " + short_number(100 * compared.budget_fraction) + " % of the bytes: ";
  if (compared.fixed_speed)
    findings.push_back(where + speed_sentence(*compared.fixed_speed, "the fixed configurations"));
  if (compared.fixed_rise) findings.push_back(where + rise_sentence(*compared.fixed_rise, "the fixed configurations"));
  if (compared.impress_speed) findings.push_back(where + speed_sentence(*compared.impress_speed, "the impress shares"));
  if (compared.impress_rise) findings.push_back(where + rise_sentence(*compared.impress_rise, "the impress shares"));
  if (compared.prefill) findings.push_back(where + near_sentence(*compared.prefill, "prefill", compared.chance));
  if (compared.lru) findings.push_back(where + near_sentence(*compared.lru, "lru", compared.chance));
  if (compared.full_quality_known && !compared.prefill)
    findings.push_back(where + "no point is within 3 % of full quality: no comparison with prefill or lru");
  return findings;
}

PointsAbove points_above_paper(const std::vector<FrontierComparison>& of_budgets) {
  PointsAbove points;
  for (const FrontierComparison& compared : of_budgets) {
    count(points, compared.fixed_speed, papers_fixed_speed);
    count(points, compared.fixed_rise, papers_fixed_rise);
    count(points, compared.impress_speed, papers_impress_speed);
    count(points, compared.impress_rise, papers_impress_rise);
    count(points, compared.prefill, papers_prefill_speed);
    count(points, compared.lru, papers_lru_speed);
  }
  return points;
}

double TtftBreakdown::other() const {
  return ttft - queue - unpack - context_prefill - question - std::accumulate(loads.begin(), loads.end(), 0.0);
}

TtftBreakdown ttft_breakdown(const Outcomes& runs, const std::vector<std::string>& sources) {
  TtftBreakdown split;
  split.loads.resize(sources.size());
  std::size_t judged = 0;
  for (const PolicyOutcome* run : runs)
    for (const PolicySample& sample : run->samples) {
      if (!sample.parts) continue;
      ++split.n;
      split.ttft += sample.arrival_to_token_seconds;
      split.queue += sample.parts->queue;
      split.unpack += sample.parts->unpack;
      split.context_prefill += sample.parts->context_prefill;
      split.question += sample.question_seconds;
      const auto source = std::ranges::find(sources, sample.source);
      if (source != sources.end())
        split.loads[static_cast<std::size_t>(source - sources.begin())] += sample.parts->load;
      if (!sample.quality) continue;
      split.quality += *sample.quality;
      ++judged;
    }
  const double requests = static_cast<double>(std::max(split.n, std::size_t{1}));
  for (double* sum : {&split.ttft, &split.queue, &split.unpack, &split.context_prefill, &split.question})
    *sum /= requests;
  for (double& load : split.loads) load /= requests;
  split.quality /= static_cast<double>(std::max(judged, std::size_t{1}));
  return split;
}

std::vector<std::string> extension_findings(const std::string& rule, const PointsAbove& above,
                                            const TtftBreakdown& split, const std::vector<std::string>& sources) {
  if (above.points == 0) return {};
  const std::string where = "evicpress by " + rule + ": ";
  std::vector<std::string> findings{
      where + std::to_string(above.above) + " of " + std::to_string(above.points) +
      " points are above the paper's upper ends, " + short_number(papers_fixed_speed) + " and " +
      short_number(papers_impress_speed) + " times at equal quality, " + short_number(100 * papers_fixed_rise) +
      " and " + short_number(100 * papers_impress_rise) + " % at equal TTFT, " + short_number(papers_prefill_speed) +
      " and " + short_number(papers_lru_speed) + " times near full quality"};
  if (above.is_half() || split.n == 0 || !(split.ttft > 0)) return findings;
  std::vector<std::pair<double, std::string>> parts{{split.queue, "queueing"},
                                                    {split.unpack, "unpacking"},
                                                    {split.context_prefill, "context prefill"},
                                                    {split.question, "question prefill"},
                                                    {split.other(), "lookup and the rest"}};
  for (std::size_t i = 0; i < sources.size(); ++i) parts.emplace_back(split.loads[i], "loads from " + sources[i]);
  const auto& [seconds, part] = *std::ranges::max_element(parts, {}, &std::pair<double, std::string>::first);
  findings.push_back(where + "its mean TTFT of " + short_number(1e3 * split.ttft) + " ms is limited by " + part + ", " +
                     short_number(100 * seconds / split.ttft) + " % of it");
  return findings;
}

}  // namespace kvantage::inline experiments
