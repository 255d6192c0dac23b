#include "ui/live/tiers/model/tier_roles.h"

#include <set>

#include "ui/text/words.h"

namespace kvantage {

namespace {

constexpr std::size_t chart_colors = 8, archive_color = 6;

// Two tiers of one kind get different colors: the first has the kind's, another one the next that is free.
std::size_t free_color(std::size_t wanted, const std::set<std::size_t>& taken) {
  for (std::size_t next = 0; next < chart_colors; ++next) {
    const std::size_t color = (wanted + next) % chart_colors;
    if (color != archive_color && !taken.contains(color)) return color;
  }
  return wanted;
}

}  // namespace

void TierRoles::set_settings(const std::vector<TierConfig>& tiers) {
  colors_.clear();
  std::set<std::size_t> taken;
  for (const TierConfig& tier : tiers) {
    const std::size_t color = free_color(kind_of(tier).color, taken);
    taken.insert(color);
    colors_[to_q(tier.name)] = color;
  }
}

std::optional<std::size_t> TierRoles::color(const QString& tier) const {
  const auto found = colors_.find(tier);
  if (found == colors_.end()) return std::nullopt;
  return found->second;
}

}  // namespace kvantage
