#include "ui/live/frontier/model/point_settings_text.h"

#include <QStringList>

#include "ui/live/controls/model/fault_presets.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/text/words.h"

namespace kvantage {

QString point_settings_text(const SessionSettings& settings, bool mixed) {
  QStringList tiers, methods, fractions;
  for (const TierConfig& tier : settings.tiers) {
    QString part = QStringLiteral("%1 %2").arg(to_q(tier.name), budget_text(tier.budget));
    if (tier.throttle.bytes_per_second > 0)
      part = FrontierModel::tr("%1 throttled to %2").arg(part, rate_text(tier.throttle.bytes_per_second));
    if (tier.throttle.latency_seconds > 0)
      part = QStringLiteral("%1 + %2").arg(part, seconds_text(tier.throttle.latency_seconds));
    if (!tier.faults.empty()) part = QStringLiteral("%1, %2").arg(part, faults_text(tier.faults));
    tiers << part;
  }
  for (const std::string& method : settings.methods) methods << to_q(method);
  for (const double fraction : settings.removed_fractions) fractions << percent_text(fraction);
  QStringList lines;
  if (mixed) lines << FrontierModel::tr("settings changed during this run; the last ones:");
  if (!tiers.isEmpty()) lines << FrontierModel::tr("budgets: %1").arg(tiers.join(", "));
  lines << (methods.isEmpty() ? FrontierModel::tr("methods: all profiled ones")
                              : FrontierModel::tr("methods: %1").arg(methods.join(", ")));
  if (!fractions.isEmpty()) lines << FrontierModel::tr("removed: %1").arg(fractions.join(", "));
  lines << FrontierModel::tr("max concurrency: %1").arg(settings.max_batch);
  if (settings.decode_eviction != "none")
    lines << FrontierModel::tr("decode eviction: %1").arg(to_q(settings.decode_eviction));
  return lines.join('\n');
}

}  // namespace kvantage
