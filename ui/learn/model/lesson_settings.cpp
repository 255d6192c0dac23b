// The "set:" lines of a lesson.
#include <algorithm>

#include "core/base/units.h"

#include <QCoreApplication>
#include "ui/learn/model/lesson_file.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct LessonSettingsText {
  Q_DECLARE_TR_FUNCTIONS(LessonSettingsText)
};

QStringList list_of(const QString& value) {
  QStringList parts = value.split(',');
  for (QString& part : parts) part = part.trimmed();
  return parts;
}

/// False: not a number.
bool number(const QString& text, double& into) {
  bool read = false;
  into = text.toDouble(&read);
  return read;
}

/// Empty when it was taken, else why not. `words`: TIER and what of it.
QString take_of_tier(const QStringList& words, const QString& value, SessionSettings& settings,
                     std::optional<double> balanced) {
  const auto tier = std::ranges::find(settings.tiers, from_q(words[0]), &TierConfig::name);
  if (tier == settings.tiers.end())
    return LessonSettingsText::tr("names an unknown tier; use a name of the workload's session.json");
  if (words[1] == QStringLiteral("bandwidth") && value == QStringLiteral("balanced")) {
    tier->throttle.bytes_per_second = balanced.value_or(0);
    return {};
  }
  const auto bytes = words[1] == QStringLiteral("latency") ? Expected<std::uint64_t>(0) : parse_bytes(from_q(value));
  double read = 0;
  if (!bytes) return core_text(bytes.error().message);
  if (words[1] == QStringLiteral("budget"))
    tier->budget = *bytes;
  else if (words[1] == QStringLiteral("bandwidth"))
    tier->throttle.bytes_per_second = static_cast<double>(*bytes);
  else if (words[1] == QStringLiteral("latency") && number(value, read))
    tier->throttle.latency_seconds = read;
  else
    return LessonSettingsText::tr(
        "is not a budget, bandwidth (bytes per second) or latency (seconds) of a tier; correct its name");
  return {};
}

/// Empty when it was taken, else why not.
QString take(const LessonSetting& given, SessionSettings& settings, std::optional<double> balanced) {
  const QString &name = given.name, &value = given.value;
  double read = 0;
  constexpr int max_letters = 200;  // an error repeats it
  if (value.size() > max_letters) return LessonSettingsText::tr("is too long; shorten it");
  if (name == QStringLiteral("policy")) {
    settings.policy = from_q(value);
  } else if (name == QStringLiteral("alpha")) {
    if (!number(value, settings.alpha)) return LessonSettingsText::tr("is not a number; write one, such as 0.5");
  } else if (name == QStringLiteral("rate")) {
    if (!number(value, settings.requests_per_second))
      return LessonSettingsText::tr("is not a number of requests per second; write one, such as 2");
  } else if (name == QStringLiteral("reprofile_when")) {
    const auto rule = parse_reprofile_rule(from_q(value));
    if (!rule) return core_text(rule.error().message);
    settings.reprofile_when = *rule;
  } else if (name == QStringLiteral("reprofile_threshold")) {  // in older lessons
    if (!number(value, read)) return LessonSettingsText::tr("is not a number; write one, such as 0.5");
    settings.reprofile_when = ReprofileRule::relative(read);
  } else if (name == QStringLiteral("reprofile")) {
    if (value != QStringLiteral("on") && value != QStringLiteral("off"))
      return LessonSettingsText::tr("is neither on nor off; write one of them");
    settings.reprofile = value == QStringLiteral("on");
  } else if (name == QStringLiteral("compute_or_load")) {
    settings.compute_or_load = from_q(value);
  } else if (name == QStringLiteral("decode_eviction")) {
    settings.decode_eviction = from_q(value);
  } else if (name == QStringLiteral("decode_offload")) {
    settings.decode_offload = from_q(value);
  } else if (name == QStringLiteral("speculation")) {
    settings.speculation = from_q(value);
  } else if (name == QStringLiteral("methods")) {
    settings.methods.clear();
    for (const QString& method : list_of(value)) settings.methods.push_back(from_q(method));
  } else if (name == QStringLiteral("removed_fractions")) {
    settings.removed_fractions.clear();
    for (const QString& fraction : list_of(value)) {
      if (!number(fraction, read))
        return LessonSettingsText::tr("contains \"%1\", which is not a number; write fractions such as 0.5, 0.8")
            .arg(fraction.left(40));
      settings.removed_fractions.push_back(read);
    }
  } else if (const QStringList words = name.split(' '); words.size() == 2) {
    return take_of_tier(words, value, settings, balanced);
  } else {
    return LessonSettingsText::tr(
        "is unknown; use policy, alpha, rate, methods, removed_fractions, reprofile, reprofile_when, "
        "compute_or_load, decode_eviction, decode_offload, speculation, TIER budget, TIER bandwidth or TIER latency");
  }
  return {};
}

}  // namespace

Expected<SessionSettings> with_lesson_settings(const Lesson& lesson, SessionSettings settings,
                                               std::optional<double> balanced) {
  for (const LessonSetting& given : lesson.settings) {
    QString why = take(given, settings, balanced);
    // The setting that the session itself would refuse is found at its line.
    if (why.isEmpty())
      if (const Status sound = validate(settings); !sound) why = core_text(sound.error().message);
    if (!why.isEmpty())
      return fail(ErrorCode::rejected_input, from_q(QStringLiteral("%1:%2: set: %3 = %4: %5")
                                                        .arg(lesson.path, QString::number(given.line),
                                                             given.name.left(40), given.value.left(40), why)));
  }
  return settings;
}

}  // namespace kvantage
