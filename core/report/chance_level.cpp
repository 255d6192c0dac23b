#include "core/report/chance_level.h"

namespace kvantage::inline report {

std::optional<ChanceLevel> not_above_chance(const std::vector<const PolicyRun*>& runs, const std::string& metric) {
  std::vector<double> above, uncompressed, chance;
  std::vector<std::string> contexts;
  for (const PolicyRun* run : runs)
    for (const RequestRecord& record : run->records) {
      const auto best = record.quality_uncompressed.find(metric), least = record.quality_chance.find(metric);
      if (record.cancelled || !record.held_out || best == record.quality_uncompressed.end() ||
          least == record.quality_chance.end())
        continue;
      above.push_back(best->second - least->second);
      uncompressed.push_back(best->second);
      chance.push_back(least->second);
      contexts.push_back(record.context_id);
    }
  if (above.empty()) return std::nullopt;
  const auto interval = bootstrap_interval(above, contexts);
  if (interval ? interval->low > 0 : mean_of(above) > 0) return std::nullopt;
  return ChanceLevel{mean_of(uncompressed), mean_of(chance)};
}

}  // namespace kvantage::inline report
