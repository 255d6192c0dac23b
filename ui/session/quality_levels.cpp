#include "ui/session/quality_levels.h"

#include "core/policy/utility.h"

namespace kvantage {

QualityLevels quality_levels(const Snapshot& snapshot, const std::string& family) {
  struct Mean {
    double sum = 0, weight = 0;
    void add(double value, double of) { sum += of * value, weight += of; }
    std::optional<double> value() const { return weight > 0 ? std::optional(sum / weight) : std::nullopt; }
  };
  Mean uncompressed, chance;
  QualityLevels levels;
  for (const ContextState& context : snapshot.contexts) {
    if (!context.profile || (!family.empty() && context.family != family)) continue;
    const ProfilePoint* point = find_point(context, "none", 0);
    if (point == nullptr) continue;
    ++levels.contexts;
    uncompressed.add(point->estimate(), context.frequency);
    if (context.profile->chance.n > 0) chance.add(context.profile->chance.mean, context.frequency);
  }
  levels.uncompressed = uncompressed.value();
  levels.chance = chance.value();
  return levels;
}

}  // namespace kvantage
