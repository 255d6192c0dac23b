// The predictions of a lesson that runs: what was committed before the result was shown, the result, and how far off it
// was. Each is committed once, or skipped; going back to its step asks again.
#pragma once

#include <QObject>
#include <map>
#include <optional>
#include <vector>

#include "ui/learn/model/lesson_file.h"
#include "ui/learn/model/lesson_metrics.h"

namespace kvantage {

struct LessonPrediction {
  enum class State { open, skipped, committed, compared };
  State state = State::open;
  double number = 0;                        // in the unit of the guess; of a curve point an alpha
  int choice = -1;                          // of the choices
  std::optional<LessonMetric> result = {};  // once it is compared
};

class LessonPredictions : public QObject {
  Q_OBJECT
 public:
  struct Score {
    int asked = 0, right = 0, wrong = 0, skipped = 0;  // the rest has no result
  };

  using QObject::QObject;
  /// Forgets those of before. Steps are numbered from 0.
  void begin(const std::vector<LessonStep>& steps);
  bool asks(int step) const { return entries_.contains(step); }
  /// Null where the step asks for none.
  const LessonPrediction* at(int step) const;
  bool is_open(int step) const;
  bool is_committed(int step) const;
  /// False: it is not open, or the number is none that the step asks for.
  bool commit_number(int step, double number);
  bool commit_choice(int step, int choice);
  /// An open one only.
  void skip(int step);
  /// A committed one only; the first result stays.
  void compare(int step, const LessonMetric& result);
  /// Asks again, as if it had not been asked.
  void reopen(int step);
  Score score() const;

  /// "0.50", "Less than a third"; empty while none is committed.
  QString guess_text(int step) const;
  /// "Your prediction: 0.50 …": prediction beside result, how far off, right or not; before that what is waited for.
  QString result_text(int step) const;
  /// All of them, with how many were right.
  QString summary() const;

 signals:
  void changed(int step);

 private:
  struct Entry {
    QString title;
    LessonGuess guess;
    LessonPrediction prediction = {};
    bool right() const;
  };
  QString metric_text(const LessonGuess& guess, double value) const;
  QString verdict(const Entry& entry) const;
  std::map<int, Entry> entries_;
};

}  // namespace kvantage
