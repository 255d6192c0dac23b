#include "core/experiments/frontier_findings.h"

#include "core/experiments/figure_text.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

// EvicPress, section 6.2: over its models and datasets.
constexpr PaperSpan fixed_speed{1.43, 3.77}, fixed_rise{13.58, 55.40}, impress_speed{1.5, 5.2},
    impress_rise{14.29, 27.00};
constexpr PaperSpan prefill_near_full{1.29, 2.19}, lru_near_full{1.22, 1.56};

std::string in_paper(const PaperSpan& paper) {
  return "the paper's " + short_number(paper.low) + " - " + short_number(paper.high);
}

std::string speed_sentence(const Speedups& speed, const std::string& others, const PaperSpan& paper) {
  if (speed.span.n == 0)
    return "none of " + others + " reaches the quality of any of its points: no comparison with " + in_paper(paper);
  return "speedup over the fastest of " + others + " at equal quality, times: " + span_text(speed) +
         verdict_text(measured_span(speed), paper);
}

std::string rise_sentence(const Speedups& rise, const std::string& others, const PaperSpan& paper) {
  if (rise.span.n == 0)
    return "none of " + others + " reaches the TTFT of any of its points: no comparison with " + in_paper(paper) + " %";
  return "quality gain over the best of " + others + " at equal TTFT, %: " + span_text(rise, 100) +
         verdict_text(measured_span(rise, 100), paper);
}

std::string near_sentence(const NearFull& near, const std::string& other, const PaperSpan& paper) {
  return "speedup over " + other + " within 3 % of full quality, times: " + short_number(near.speed) +
         interval_text(near.interval) + verdict_text({near.speed, near.speed, near.interval, near.interval}, paper);
}

}  // namespace

std::vector<std::string> frontier_findings(const FrontierComparison& compared) {
  std::vector<std::string> findings;
  const std::string where = "evicpress at " + short_number(100 * compared.budget_fraction) + " % of the bytes: ";
  if (compared.fixed_speed)
    findings.push_back(where + speed_sentence(*compared.fixed_speed, "the fixed configurations", fixed_speed));
  if (compared.fixed_rise)
    findings.push_back(where + rise_sentence(*compared.fixed_rise, "the fixed configurations", fixed_rise));
  if (compared.impress_speed)
    findings.push_back(where + speed_sentence(*compared.impress_speed, "the impress shares", impress_speed));
  if (compared.impress_rise)
    findings.push_back(where + rise_sentence(*compared.impress_rise, "the impress shares", impress_rise));
  if (compared.prefill) findings.push_back(where + near_sentence(*compared.prefill, "prefill", prefill_near_full));
  if (compared.lru) findings.push_back(where + near_sentence(*compared.lru, "lru", lru_near_full));
  if (compared.full_quality_known && !compared.prefill)
    findings.push_back(where + "no point within 3 % of full quality: no comparison with " +
                       in_paper(prefill_near_full) + " over prefill and " + in_paper(lru_near_full) + " over lru");
  return findings;
}

}  // namespace kvantage::inline experiments
