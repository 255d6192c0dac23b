// How things were when each step of a lesson began: settings, and the controls outside of Controls that the lesson
// moves, which are no settings. A step that is returned to gets them back.
#pragma once

#include <QCoreApplication>
#include <QVariant>
#include <map>
#include <utility>
#include <vector>

#include "ui/learn/lesson_stage.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

/// The item of a list, the page of tabs, the value of a slider or number, whether a box is checked; invalid: another
/// kind of control.
QVariant control_value(const QWidget& control);
/// As a hand would.
void set_control_value(QWidget& control, const QVariant& value);

class StepStarts {
  Q_DECLARE_TR_FUNCTIONS(StepStarts)
 public:
  /// Both outlive it.
  StepStarts(SettingsController& settings, const LessonStage& stage) : settings_(settings), stage_(stage) {}
  /// Forgets those of before.
  void begin(const Lesson& lesson);
  /// A step begins; only its first time counts.
  void note(int step);
  bool knows(int step) const { return starts_.contains(step); }
  /// One undo step at most.
  void restore(int step) const;

 private:
  struct Start {
    SessionSettings settings;
    std::vector<std::pair<LessonTarget, QVariant>> controls;
  };
  SettingsController& settings_;
  const LessonStage& stage_;
  std::vector<LessonTarget> moved_;  // by the lesson, and no settings
  std::map<int, Start> starts_;
};

}  // namespace kvantage
