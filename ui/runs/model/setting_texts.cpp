#include "ui/runs/model/setting_texts.h"

#include <QStringList>
#include <algorithm>

#include "ui/text/words.h"

namespace kvantage {

QString setting_name(const QString& owner, std::string field) {
  if (field == "budget_bytes") field = "budget";
  std::ranges::replace(field, '_', ' ');
  return owner.isEmpty() ? to_q(field) : owner + ' ' + to_q(field);
}

QString tier_owner(const Json& tier, std::size_t index) {
  const Json name = tier.value("name", Json());
  return name.is_string() ? to_q(name.get<std::string>()) : QStringLiteral("tier %1").arg(index);
}

QString setting_value(const std::string& field, const Json& value) {
  if (value.is_number() && field.ends_with("_bytes"))
    return value.get<double>() > 0 ? bytes_text(value.get<double>()) : QStringLiteral("unlimited");
  if (value.is_number() && field.ends_with("bytes_per_second"))
    return value.get<double>() > 0 ? rate_text(value.get<double>()) : QStringLiteral("full speed");
  if (value.is_number() && field.ends_with("_seconds")) return seconds_text(value.get<double>());
  if (value.is_number()) return number_text(value.get<double>());
  if (value.is_string()) return to_q(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? QStringLiteral("on") : QStringLiteral("off");
  if (value.is_array() &&
      std::ranges::all_of(value, [](const Json& each) { return each.is_string() || each.is_number(); })) {
    QStringList parts;
    for (const Json& each : value) parts << setting_value(field, each);
    return parts.join(QStringLiteral(", "));
  }
  return to_q(dump_json(value));
}

}  // namespace kvantage
