#include "core/fleet/context_class.h"

#include <algorithm>
#include <tuple>

namespace kvantage::inline fleet {
namespace {

/// The hull of one tier's options, which are ascending by bytes and, at the same bytes, descending by value.
void append_hull(const std::vector<ClassOption>& tier, double unstored, std::vector<ClassOption>& hull) {
  const std::size_t first = hull.size();
  for (const ClassOption& option : tier) {
    const double last_value = hull.size() > first ? hull.back().value : unstored;
    if (option.value <= last_value) continue;
    while (hull.size() > first) {
      const ClassOption& top = hull.back();
      const bool alone = hull.size() == first + 1;
      const double below_value = alone ? unstored : hull[hull.size() - 2].value;
      const double below_bytes = alone ? 0 : hull[hull.size() - 2].bytes;
      // Whether the slope to the new point is at least the one that led to the last point.
      const double before = (top.value - below_value) * (option.bytes - top.bytes);
      const double after = (option.value - top.value) * (top.bytes - below_bytes);
      if (after < before) break;
      hull.pop_back();
    }
    hull.push_back(option);
  }
}

}  // namespace

void keep_priced_forms(ContextClass& one) {
  std::vector<ClassOption> kept, tier;
  kept.reserve(one.options.size());
  for (std::uint32_t t = 0; t < max_fleet_tiers; ++t) {
    tier.clear();
    for (const ClassOption& option : one.options)
      if (option.tier == t && option.bytes > 0) tier.push_back(option);
    std::ranges::sort(tier, [](const ClassOption& a, const ClassOption& b) {
      return std::tuple(a.bytes, -a.value) < std::tuple(b.bytes, -b.value);
    });
    append_hull(tier, one.unstored, kept);
  }
  std::ranges::sort(kept, [](const ClassOption& a, const ClassOption& b) {
    return std::tuple(a.value, a.tier, a.bytes) < std::tuple(b.value, b.tier, b.bytes);
  });
  one.options = std::move(kept);
}

}  // namespace kvantage::inline fleet
