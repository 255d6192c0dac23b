#include "ui/files/settings_values.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>
#include <string_view>

#include "ui/files/settings_seal.h"
#include "ui/look/font_scale.h"
#include "ui/text/language.h"
#include "ui/window/last_session.h"

namespace kvantage {
namespace {

struct SettingsValuesText {
  Q_DECLARE_TR_FUNCTIONS(SettingsValuesText)
};

QString not_a_percent(const QVariant& value) {
  bool number = false;
  const int percent = value.toString().toInt(&number);
  if (number && percent >= min_font_percent && percent <= max_font_percent) return {};
  return SettingsValuesText::tr("is not a number from %1 to %2").arg(min_font_percent).arg(max_font_percent);
}

QString not_yes_or_no(const QVariant& value) {
  return value.toString() == "true" || value.toString() == "false"
             ? QString()
             : SettingsValuesText::tr("is neither true nor false");
}

QString no_geometry(const QVariant& value) {
  return unsealed(value.toByteArray()) ? QString() : SettingsValuesText::tr("is not a valid window geometry");
}

}  // namespace

QString mend_settings_values(QSettings& settings, const QStringList& docks) {
  struct Rule {
    const char* key;
    std::function<QString(const QVariant&)> fault;
  };
  const auto known_docks = [&docks](const QVariant& value) {
    const QStringList ids = value.toStringList();
    const auto unknown = std::ranges::find_if(ids, [&](const QString& id) { return !docks.contains(id); });
    return unknown == ids.end() ? QString() : SettingsValuesText::tr("names an unknown dock (%1)").arg(*unknown);
  };
  const auto theme = [](const QVariant& value) {
    return value.toString() == "light" || value.toString() == "dark"
               ? QString()
               : SettingsValuesText::tr("is neither light nor dark");
  };
  const auto language = [](const QVariant& value) {
    const QString code = value.toString();
    return code.isEmpty() || std::ranges::count(languages(), code, &Language::code) > 0
               ? QString()
               : SettingsValuesText::tr("is not an available language");
  };
  const auto session = [](const QVariant& value) { return fault_of_kept_settings(value.toString()); };
  const Rule rules[] = {{"window/theme", theme},          {"window/font_percent", not_a_percent},
                        {"window/geometry", no_geometry}, {"presenter/percent", not_a_percent},
                        {"presenter/docks", known_docks}, {"tour/seen", not_yes_or_no},
                        {"session/settings", session},    {"window/language", language}};
  QStringList wrong;
  for (const Rule& rule : rules) {
    if (!settings.contains(rule.key)) continue;
    const QVariant value = settings.value(rule.key);
    const QString fault = rule.fault(value);
    if (fault.isEmpty()) continue;
    const QString shown = value.canConvert<QStringList>() && value.toStringList().size() > 1
                              ? value.toStringList().join(", ")
                              : value.toString();
    // A size beyond the limits is brought to them by whoever sets it.
    bool number = false;
    (void)value.toString().toInt(&number);
    const bool limited = number && std::string_view(rule.key) == "window/font_percent";
    wrong << QStringLiteral("%1=%2 %3")
                 .arg(QString::fromLatin1(rule.key), shown.size() > 40 ? shown.left(40) + QStringLiteral("…") : shown,
                      fault);
    if (!limited) settings.remove(rule.key);
  }
  if (wrong.isEmpty()) return {};
  return SettingsValuesText::tr(
             "%1: %2. The default or the nearest limit is used; change it in the window, or fix the file while it "
             "is closed.")
      .arg(settings.fileName(), wrong.join(QStringLiteral(", ")));
}

}  // namespace kvantage
