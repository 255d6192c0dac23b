#include "ui/models/runs_row.h"

#include "ui/models/words.h"

namespace kvantage {
namespace {

QString text_at(const Json& settings, const char* pointer) {
  const Json::json_pointer place(pointer);
  return settings.is_object() && settings.contains(place) && settings.at(place).is_string()
             ? to_q(settings.at(place).get<std::string>())
             : QString();
}

}  // namespace

void read_settings(RunsModel::Row& row) {
  const Json& settings = row.run.summary.settings;
  row.workload = text_at(settings, "/environment/workload");
  row.model = text_at(settings, "/environment/model");
  row.quality_metric = from_q(text_at(settings, "/settings/quality_metric"));
  const Json::json_pointer alpha("/settings/alpha"), tiers("/settings/tiers");
  if (settings.contains(alpha) && settings.at(alpha).is_number()) {
    row.alpha_value = settings.at(alpha).get<double>();
    row.alpha = number_text(row.alpha_value);
  }
  QStringList budgets;
  if (settings.contains(tiers) && settings.at(tiers).is_array())
    for (const Json& tier : settings.at(tiers)) {
      const Json bytes = tier.is_object() ? tier.value("budget_bytes", Json()) : Json();
      if (!bytes.is_number()) continue;
      budgets << text_at(tier, "/name") + ' ' + (bytes.get<double>() > 0 ? bytes_text(bytes.get<double>()) : QStringLiteral("unlimited"));
    }
  row.budgets = budgets.join(", ");
}

}  // namespace kvantage
