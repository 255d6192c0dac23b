// Which color the tiers of a run have: that of their kinds, as the run's settings say, whatever their names are.
#pragma once

#include <QString>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/ports/tier_config.h"

namespace kvantage {

class TierRoles {
 public:
  void set_settings(const std::vector<TierConfig>& tiers);
  /// Index of the color; nothing for a tier that the settings do not name.
  std::optional<std::size_t> color(const QString& tier) const;

 private:
  std::map<QString, std::size_t> colors_;
};

}  // namespace kvantage
