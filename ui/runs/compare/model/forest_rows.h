// The rows of a forest plot, made of a comparison by core/report: groups of metrics, the difference of a run from the
// baseline as a share of the baseline's value, and what it says in words.
#pragma once

#include <QString>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/report/compare_runs.h"

namespace kvantage {

enum class MetricGroup : std::uint8_t { latency, quality, tiers, cost };
inline constexpr std::array metric_groups{MetricGroup::latency, MetricGroup::quality, MetricGroup::tiers,
                                          MetricGroup::cost};
MetricGroup metric_group(const ComparedMetric& metric);
QString metric_group_text(MetricGroup group);

/// Better or worse: the interval of the difference excludes 0, or the two intervals of the runs do not overlap.
bool is_significant(Judgment judgment);

struct ForestMark {
  std::size_t side = 0;              // in RunComparison::runs
  double difference = 0;             // from the baseline, as a share of its value
  std::optional<Interval> interval;  // 95 %, of the paired difference, as a share of the same value
  Judgment judgment = Judgment::none;
};
/// Nothing for the baseline itself, where one of the two has no value, and where the baseline's is 0.
std::optional<ForestMark> forest_mark(const RunComparison& comparison, const ComparedMetric& metric, std::size_t side);

/// "B is faster by 12 % (8 to 16 %)", "not significant (n = 60)". Times, rates and memory in percent of the
/// baseline, or in their own unit where the interval ends below -100 % ("B is faster by 57.0 ms (42.0 to 152.0 ms)");
/// qualities and shares in their own unit, as in judgment_text(). Empty for the baseline.
QString difference_text(const RunComparison& comparison, const ComparedMetric& metric, std::size_t side);

}  // namespace kvantage
