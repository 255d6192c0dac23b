// The statistics behind the program's metrics, each defined once so that the window, the table and a report agree.
// Percentiles interpolate linearly between order statistics (Hyndman and Fan 1996, type 7, the default of numpy).
// Intervals come from a seeded bootstrap, so the same samples give the same digits on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kvantage {

/// Arithmetic mean; 0 for no values.
double mean_of(std::span<const double> values);

/// Percentile `fraction` in [0, 1] of `values` (any order): sorted x[0..n-1], h = (n - 1) * fraction, x[floor h] + (h -
/// floor h) * (x[floor h + 1] - x[floor h]). 0 for no values.
double percentile(std::vector<double> values, double fraction);

struct Interval {
  double low = 0, high = 0;
};

/// 95 % Wilson score interval of a proportion (Wilson 1927): never empty, even for 0 or n of n. n = 0: [0, 1].
Interval proportion_interval(std::size_t successes, std::size_t n);

/// 95 % interval of the mean by the percentile bootstrap, drawing whole groups: `groups[i]` names the group of
/// `values[i]`. Answers about one context are correlated, so contexts are drawn, not requests (Field and Welsh 2007,
/// cluster bootstrap). 2,000 resamples from a fixed seed. Nothing for fewer than two groups.
std::optional<Interval> bootstrap_interval(std::span<const double> values, std::span<const std::string> groups);
/// As above with every value its own group.
std::optional<Interval> bootstrap_interval(std::span<const double> values);

/// 95 % interval of the mean of a few independent values (Student 1908): for numbers of repetitions, too few to draw
/// from. Nothing for fewer than two.
std::optional<Interval> student_interval(std::span<const double> values);

/// 95 % interval of percentile(values, fraction), by the same bootstrap: whole groups are drawn, and the percentile is
/// over all values of the drawn groups. Nothing for fewer than two groups.
std::optional<Interval> bootstrap_percentile_interval(std::span<const double> values,
                                                      std::span<const std::string> groups, double fraction);
/// 95 % interval of percentile(after, fraction) - percentile(before, fraction), where before[i] and after[i] are paired
/// and in groups[i]: each resample draws the same groups for both. Nothing for fewer than two groups.
std::optional<Interval> bootstrap_percentile_difference(std::span<const double> before, std::span<const double> after,
                                                        std::span<const std::string> groups, double fraction);

}  // namespace kvantage
