#include "core/policy/quality_pool.h"

#include <cmath>

namespace kvantage::inline policy {

namespace {

constexpr double questions_of_others = 8;

bool counts(const ProfilePoint& point) { return point.n > 0 && std::isfinite(point.quality); }

}  // namespace

QualityPool::Cell QualityPool::cell_of(const ProfilePoint& point) {
  return {point.method, std::llround(point.removed_fraction * 1e6)};
}

void QualityPool::add(const std::string& family, const ProfilePoint& point) {
  if (!counts(point)) return;
  for (Sum* sum : {&all_[cell_of(point)], &families_[{family, cell_of(point)}]}) {
    sum->quality += point.quality;
    ++sum->contexts;
  }
}

double QualityPool::expected(const std::string& family, const ProfilePoint& point) const {
  if (!counts(point)) return point.quality;
  const auto others = [&](const auto& sums, const auto& key) -> std::pair<double, bool> {
    const auto found = sums.find(key);
    if (found == sums.end() || found->second.contexts < 2) return {0, false};
    return {(found->second.quality - point.quality) / (found->second.contexts - 1), true};
  };
  const auto [all, any] = others(all_, cell_of(point));
  if (!any) return point.quality;
  const auto [family_mean, relatives] = others(families_, std::pair(family, cell_of(point)));
  const double prior = relatives ? 0.5 * (family_mean + all) : all;
  const double n = point.n;
  return (n * point.quality + questions_of_others * prior) / (n + questions_of_others);
}

}  // namespace kvantage::inline policy
