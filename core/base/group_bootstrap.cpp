#include "core/base/group_bootstrap.h"

#include <vector>

#include "core/base/random.h"

namespace kvantage {
namespace {

constexpr std::uint64_t bootstrap_seed = 20070615;
constexpr std::size_t resamples = 2000;

}  // namespace

std::optional<Interval> bootstrap_interval(std::span<const GroupSum> groups) {
  if (groups.size() < 2) return std::nullopt;
  Random random(bootstrap_seed);
  std::vector<double> means(resamples);
  for (double& mean : means) {
    GroupSum drawn;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const GroupSum& group = groups[random.below(groups.size())];
      drawn.sum += group.sum;
      drawn.n += group.n;
    }
    mean = drawn.sum / static_cast<double>(drawn.n);
  }
  return Interval{percentile(means, 0.025), percentile(means, 0.975)};
}

}  // namespace kvantage
