#include "ui/live/frontier/model/point_settings_text.h"

#include <QStringList>

#include "core/ports/decode_eviction.h"
#include "ui/live/controls/model/fault_presets.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// Of how requests are served, what is on or not at its default.
void add_serving_lines(const SessionSettings& settings, QStringList& lines) {
  const SessionSettings defaults;
  const auto of_options = [&settings] {
    QStringList options;
    for (const std::string& option : settings.decode_options) options << to_q(option);
    return options.join(", ");
  };
  if (settings.prefill_batch_tokens != defaults.prefill_batch_tokens)
    lines << FrontierModel::tr("prefill batch: %1").arg(settings.prefill_batch_tokens);
  if (settings.compute_or_load != defaults.compute_or_load)
    lines << FrontierModel::tr("compute or load: %1").arg(to_q(settings.compute_or_load));
  if (settings.decode_eviction != "none")
    lines << FrontierModel::tr("decode eviction: %1").arg(to_q(settings.decode_eviction));
  if (settings.decode_eviction == planned_decode_eviction && !settings.decode_options.empty())
    lines << FrontierModel::tr("decode options: %1").arg(of_options());
  if (settings.decode_offload != "none")
    lines << FrontierModel::tr("decode offload: %1").arg(to_q(settings.decode_offload));
  if (settings.speculation != "off") lines << FrontierModel::tr("speculation: %1").arg(to_q(settings.speculation));
  if (settings.attend_quantized) lines << FrontierModel::tr("attend on quantized KV");
  if (settings.products != defaults.products)
    lines << FrontierModel::tr("matrix products: %1").arg(to_q(settings.products));
  if (settings.quality_bound == QualityBound::lower) lines << FrontierModel::tr("quality in plans: lower bound");
}

}  // namespace

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
  add_serving_lines(settings, lines);
  return lines.join('\n');
}

}  // namespace kvantage
