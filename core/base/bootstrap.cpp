#include "core/base/bootstrap.h"

#include <cstdint>
#include <vector>

#include "core/base/random.h"

namespace kvantage {
namespace {

constexpr std::uint64_t bootstrap_seed = 20070615;
constexpr std::size_t resamples = 2000;

}  // namespace

std::optional<Interval> bootstrap_statistic(
    std::size_t groups, const std::function<std::optional<double>(std::span<const std::size_t> drawn)>& statistic) {
  if (groups < 2) return std::nullopt;
  Random random(bootstrap_seed);
  std::vector<std::size_t> drawn(groups);
  std::vector<double> values;
  for (std::size_t sample = 0; sample < resamples; ++sample) {
    for (std::size_t& group : drawn) group = random.below(groups);
    if (const auto value = statistic(drawn)) values.push_back(*value);
  }
  if (values.size() < resamples / 2) return std::nullopt;
  return Interval{percentile(values, 0.025), percentile(values, 0.975)};
}

}  // namespace kvantage
