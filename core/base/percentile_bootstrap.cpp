// Intervals of percentiles: the cluster bootstrap of bootstrap.h, where a high percentile visits few values.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/base/bootstrap.h"
#include "core/base/statistics.h"

namespace kvantage {
namespace {

/// Values in descending order, each with the index of its group.
struct Ranked {
  std::vector<std::pair<double, std::size_t>> values;
  std::vector<std::size_t> sizes;  // of the groups

  Ranked(std::span<const double> of, const std::vector<std::size_t>& places, std::size_t groups) : sizes(groups) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      values.emplace_back(of[i], places[i]);
      ++sizes[places[i]];
    }
    std::ranges::sort(values, std::ranges::greater{});
  }
  /// Percentile where group g counts drawn[g] times. Ranks count from the top, so a high percentile visits few values.
  double percentile(const std::vector<std::size_t>& drawn, double fraction) const {
    std::size_t n = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g) n += drawn[g] * sizes[g];
    const double h = static_cast<double>(n - 1) * fraction;
    const auto below = static_cast<std::size_t>(std::floor(h));
    double high = 0;
    bool found = false;
    std::size_t seen = 0;
    for (const auto& [value, group] : values) {
      seen += drawn[group];
      if (!found && seen >= n - std::min(below + 1, n - 1)) {
        high = value;
        found = true;
      }
      if (seen >= n - below) return value + (h - static_cast<double>(below)) * (high - value);
    }
    return high;
  }
};

/// Index of each value's group in alphabetical order, and the number of groups.
std::pair<std::vector<std::size_t>, std::size_t> places_of(std::span<const std::string> groups) {
  std::map<std::string_view, std::size_t> names;
  for (const std::string& name : groups) names[name];
  std::size_t next = 0;
  for (auto& [name, place] : names) place = next++;
  std::vector<std::size_t> places;
  for (const std::string& name : groups) places.push_back(names[name]);
  return {std::move(places), next};
}

/// How often each group was drawn.
std::vector<std::size_t> counts_of(std::span<const std::size_t> drawn, std::size_t groups) {
  std::vector<std::size_t> counts(groups);
  for (const std::size_t group : drawn) ++counts[group];
  return counts;
}

}  // namespace

std::optional<Interval> bootstrap_percentile_interval(std::span<const double> values,
                                                      std::span<const std::string> groups, double fraction) {
  const auto [places, count] = places_of(groups);
  const Ranked ranked(values, places, count);
  return bootstrap_statistic(
      count, [&](std::span<const std::size_t> drawn) { return ranked.percentile(counts_of(drawn, count), fraction); });
}

std::optional<Interval> bootstrap_percentile_difference(std::span<const double> before, std::span<const double> after,
                                                        std::span<const std::string> groups, double fraction) {
  const auto [places, count] = places_of(groups);
  const Ranked first(before, places, count), second(after, places, count);
  return bootstrap_statistic(count, [&](std::span<const std::size_t> drawn) {
    const std::vector<std::size_t> counts = counts_of(drawn, count);
    return second.percentile(counts, fraction) - first.percentile(counts, fraction);
  });
}

}  // namespace kvantage
