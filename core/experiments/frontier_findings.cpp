#include "core/experiments/frontier_findings.h"

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

std::string near_sentence(const MeasuredSpan& near, const std::string& other) {
  return "speedup over " + other + " within 3 % of full quality, times: " + short_number(near.low) +
         interval_text(near.low_interval);
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
  if (compared.prefill) findings.push_back(where + near_sentence(*compared.prefill, "prefill"));
  if (compared.lru) findings.push_back(where + near_sentence(*compared.lru, "lru"));
  if (compared.full_quality_known && !compared.prefill)
    findings.push_back(where + "no point is within 3 % of full quality: no comparison with prefill or lru");
  return findings;
}

}  // namespace kvantage::inline experiments
