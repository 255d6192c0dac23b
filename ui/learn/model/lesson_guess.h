// A prediction that a step of a lesson asks for before the result is shown: what is asked, when it is right, and what
// is covered until then. Right and wrong follow from a metric of the run (lesson_metrics.h), never from the file.
#pragma once

#include <QString>
#include <QStringList>
#include <limits>
#include <vector>

namespace kvantage {

/// From `low` to below `high`.
struct LessonRange {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool contains(double value) const { return value >= low && value < high; }
};

/// Right where the metric is in its range.
struct LessonChoice {
  QString text;
  LessonRange range;
};

struct LessonGuess {
  enum class Kind { none, number, choice, curve_point };
  bool asked = false;  // whether the step is a prediction
  Kind kind = Kind::none;
  LessonRange range;                  // of a number
  QString unit;                       // of a number, as that of the metric: "", "s" or "%"
  QString value;                      // the metric that it is compared with
  double within = 0;                  // right when at most this far off: in the unit, or
  bool relative = false;              // as a share of the metric; of a curve point: up to a factor of 1 + within
  std::vector<LessonChoice> choices;  // ascending, without a gap
  QStringList hidden;                 // docks, or "frontier": covered until it is committed
  QString then;                       // shown below the text once it is committed
};

/// Fields of a prediction other than "then", whose text continues below it.
bool is_guess_field(const QString& name);
/// Takes what is written behind a field. What is wrong with it and how to fix it; empty: nothing.
QString take_guess_field(const QString& name, const QString& value, LessonGuess& guess);
/// What a prediction lacks at its end; empty: nothing.
QString guess_fault(const LessonGuess& guess);

/// `number`: in the unit, or an alpha; `choice`: of the choices, from 0. `value`: of the metric.
bool guess_is_right(const LessonGuess& guess, double number, int choice, double value);
/// "10 %", "0.10": how far off is still right; empty for choices.
QString within_text(const LessonGuess& guess);

}  // namespace kvantage
