#include "core/base/group_bootstrap.h"

#include "core/base/bootstrap.h"

namespace kvantage {

std::optional<Interval> bootstrap_interval(std::span<const GroupSum> groups) {
  return bootstrap_statistic(groups.size(), [groups](std::span<const std::size_t> drawn) -> std::optional<double> {
    GroupSum sum;
    for (const std::size_t group : drawn) {
      sum.sum += groups[group].sum;
      sum.n += groups[group].n;
    }
    return sum.sum / static_cast<double>(sum.n);
  });
}

}  // namespace kvantage
