#include "core/base/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/group_bootstrap.h"

namespace kvantage {

double mean_of(std::span<const double> values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  const double h = static_cast<double>(values.size() - 1) * std::clamp(fraction, 0.0, 1.0);
  const auto below = static_cast<std::size_t>(std::floor(h));
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), middle, values.end());
  const double low = *middle;
  if (below + 1 == values.size()) return low;
  const double high = *std::min_element(middle + 1, values.end());
  return low + (h - static_cast<double>(below)) * (high - low);
}

Interval proportion_interval(std::size_t successes, std::size_t n) {
  if (n == 0) return {0, 1};
  constexpr double z = 1.959963984540054;
  const double count = static_cast<double>(n), share = static_cast<double>(successes) / count;
  const double middle = (share + z * z / (2 * count)) / (1 + z * z / count);
  const double half = z / (1 + z * z / count) * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count));
  return {successes == 0 ? 0.0 : middle - half, successes == n ? 1.0 : middle + half};
}

std::optional<Interval> student_interval(std::span<const double> values) {
  if (values.size() < 2) return {};
  // 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom; beyond, within .001 of 1.96 + 2.4 / n.
  constexpr std::array quantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  const std::size_t freedom = values.size() - 1;
  const double n = static_cast<double>(values.size()), mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double quantile =
      freedom <= quantiles.size() ? quantiles[freedom - 1] : 1.96 + 2.4 / static_cast<double>(freedom);
  const double half = quantile * std::sqrt(squares / static_cast<double>(freedom) / n);
  return Interval{mean - half, mean + half};
}

std::optional<Interval> bootstrap_interval(std::span<const double> values, std::span<const std::string> groups) {
  std::map<std::string_view, GroupSum> by_name;
  for (std::size_t i = 0; i < values.size() && i < groups.size(); ++i) {
    GroupSum& group = by_name[groups[i]];
    group.sum += values[i];
    ++group.n;
  }
  std::vector<GroupSum> flat;
  flat.reserve(by_name.size());
  for (const auto& [name, group] : by_name) flat.push_back(group);
  return bootstrap_interval(std::span<const GroupSum>(flat));
}

std::optional<Interval> bootstrap_interval(std::span<const double> values) {
  std::vector<GroupSum> flat;
  flat.reserve(values.size());
  for (const double value : values) flat.push_back({value, 1});
  return bootstrap_interval(std::span<const GroupSum>(flat));
}

}  // namespace kvantage
