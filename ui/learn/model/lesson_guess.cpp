#include "ui/learn/model/lesson_guess.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "ui/learn/model/lesson_metrics.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct LessonGuessText {
  Q_DECLARE_TR_FUNCTIONS(LessonGuessText)
};

bool finite_number(const QString& text, double& into) {
  bool read = false;
  into = text.toDouble(&read);
  return read && std::isfinite(into);
}

QString take_kind(const QString& value, LessonGuess& guess) {
  static const QRegularExpression number(QStringLiteral("^number (\\S+) to (\\S+?)(?: (s|%))?$"));
  if (guess.kind != LessonGuess::Kind::none) return LessonGuessText::tr("\"guess\" appears twice; remove one");
  if (value == QStringLiteral("choice")) {
    guess.kind = LessonGuess::Kind::choice;
    return {};
  }
  if (value == QStringLiteral("curve_point")) {
    guess.kind = LessonGuess::Kind::curve_point;
    return {};
  }
  const auto found = number.match(value);
  if (!found.hasMatch() || !finite_number(found.captured(1), guess.range.low) ||
      !finite_number(found.captured(2), guess.range.high) || !(guess.range.low < guess.range.high))
    return LessonGuessText::tr(
               "guess: \"%1\" is unknown; write \"number LOW to HIGH\" with s or % behind it, \"choice\" or "
               "\"curve_point\"")
        .arg(value.left(40));
  guess.kind = LessonGuess::Kind::number;
  guess.unit = found.captured(3);
  return {};
}

QString take_within(const QString& value, LessonGuess& guess) {
  static const QRegularExpression form(QStringLiteral("^(\\d+(?:\\.\\d+)?)( %)?$"));
  if (guess.within > 0) return LessonGuessText::tr("\"within\" appears twice; remove one");
  const auto found = form.match(value);
  if (!found.hasMatch() || !finite_number(found.captured(1), guess.within) || !(guess.within > 0))
    return LessonGuessText::tr("within: \"%1\" is not a number above 0; write it like 0.1 or 20 %").arg(value.left(40));
  guess.relative = !found.captured(2).isEmpty();
  if (guess.relative) guess.within /= 100;
  return {};
}

/// "below 33", "33 to 67", "above 67".
bool take_range(const QString& text, LessonRange& range) {
  static const QRegularExpression open(QStringLiteral("^(below|above) (\\S+)$")),
      closed(QStringLiteral("^(\\S+) to (\\S+)$"));
  if (const auto found = open.match(text); found.hasMatch())
    return finite_number(found.captured(2), found.captured(1) == QStringLiteral("below") ? range.high : range.low);
  const auto found = closed.match(text);
  return found.hasMatch() && finite_number(found.captured(1), range.low) &&
         finite_number(found.captured(2), range.high) && range.low < range.high;
}

QString take_choice(const QString& value, LessonGuess& guess) {
  const auto bar = value.lastIndexOf('|');
  LessonChoice choice;
  choice.text = value.left(std::max<qsizetype>(bar, 0)).trimmed();
  if (choice.text.isEmpty() || !take_range(value.mid(bar + 1).trimmed(), choice.range))
    return LessonGuessText::tr(
               "choice: \"%1\" has no range; write \"TEXT | below 10\", \"TEXT | 10 to 50\" or \"TEXT | above 50\"")
        .arg(value.left(40));
  guess.choices.push_back(std::move(choice));
  return {};
}

QString take_metric(const QString& value, LessonGuess& guess) {
  if (!guess.value.isEmpty()) return LessonGuessText::tr("\"value\" appears twice; remove one");
  if (!find_lesson_metric(value))
    return LessonGuessText::tr("value: unknown metric \"%1\"; use one of %2")
        .arg(value.left(40), lesson_metric_names().join(QStringLiteral(", ")));
  guess.value = value;
  return {};
}

QString take_hidden(const QString& value, LessonGuess& guess) {
  if (value == QStringLiteral("controls"))
    return LessonGuessText::tr("hide: the controls stay in view; name the view that shows the result");
  if (guess.hidden.contains(value)) return LessonGuessText::tr("hide: \"%1\" appears twice; remove one").arg(value);
  guess.hidden << value;
  return {};
}

/// Every value is in exactly one of them.
bool cover_all(const std::vector<LessonChoice>& choices) {
  if (choices.size() < 2 || std::isfinite(choices.front().range.low) || std::isfinite(choices.back().range.high))
    return false;
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (choices[i - 1].range.high != choices[i].range.low) return false;
  return true;
}

}  // namespace

bool is_guess_field(const QString& name) {
  static const QStringList names{QStringLiteral("guess"), QStringLiteral("choice"), QStringLiteral("value"),
                                 QStringLiteral("within"), QStringLiteral("hide")};
  return names.contains(name);
}

QString take_guess_field(const QString& name, const QString& value, LessonGuess& guess) {
  if (name == QStringLiteral("guess")) return take_kind(value, guess);
  if (name == QStringLiteral("choice")) return take_choice(value, guess);
  if (name == QStringLiteral("value")) return take_metric(value, guess);
  if (name == QStringLiteral("within")) return take_within(value, guess);
  return take_hidden(value, guess);
}

QString guess_fault(const LessonGuess& guess) {
  using Kind = LessonGuess::Kind;
  if (guess.kind == Kind::none)
    return LessonGuessText::tr(
        "a prediction needs \"guess\"; write \"number LOW to HIGH\", \"choice\" or \"curve_point\"");
  const LessonMetricInfo* metric = find_lesson_metric(guess.value);
  if (!metric)
    return LessonGuessText::tr("a prediction needs \"value\"; write one of %1")
        .arg(lesson_metric_names().join(QStringLiteral(", ")));
  if (guess.kind == Kind::choice) {
    if (guess.within > 0) return LessonGuessText::tr("\"within\" is not allowed with choices; remove it");
    if (!cover_all(guess.choices))
      return LessonGuessText::tr(
          "the choices must cover every value once; begin with \"below\", end with \"above\", without a gap");
    return {};
  }
  if (!guess.choices.empty()) return LessonGuessText::tr("\"choice\" needs \"guess: choice\"; correct one of them");
  if (guess.kind == Kind::curve_point && (!metric->is_alpha || !guess.relative))
    return LessonGuessText::tr(
        "a curve point is compared with an alpha by a factor; write \"value: knee_alpha\" and \"within: 100 %\"");
  if (guess.kind == Kind::number && metric->unit != guess.unit)
    return LessonGuessText::tr("the number has the unit \"%1\", but %2 has \"%3\"; write the same one")
        .arg(guess.unit, guess.value, metric->unit);
  if (!(guess.within > 0))
    return LessonGuessText::tr("a prediction needs \"within\"; write how far off is still right, like 0.1 or 20 %");
  return {};
}

bool guess_is_right(const LessonGuess& guess, double number, int choice, double value) {
  switch (guess.kind) {
    case LessonGuess::Kind::none:
      return false;
    case LessonGuess::Kind::choice:
      return choice >= 0 && static_cast<std::size_t>(choice) < guess.choices.size() &&
             guess.choices[static_cast<std::size_t>(choice)].range.contains(value);
    case LessonGuess::Kind::curve_point:
      return number > 0 && value > 0 && std::max(number / value, value / number) <= 1 + guess.within;
    case LessonGuess::Kind::number:
      break;
  }
  constexpr double rounding = 1e-9;  // what was typed is right at the end of the range, too
  return std::abs(number - value) <= guess.within * (guess.relative ? std::abs(value) : 1) + rounding;
}

QString within_text(const LessonGuess& guess) {
  if (guess.kind == LessonGuess::Kind::choice || guess.kind == LessonGuess::Kind::none) return {};
  if (guess.kind == LessonGuess::Kind::curve_point)
    return LessonGuessText::tr("a factor of %1").arg(number_text(1 + guess.within));
  if (guess.relative) return percent_text(guess.within);
  const LessonMetricInfo* metric = find_lesson_metric(guess.value);
  return metric ? lesson_metric_text(*metric, guess.within) : number_text(guess.within);
}

}  // namespace kvantage
