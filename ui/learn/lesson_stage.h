// Where a lesson plays: finds the controls that its file names, sees whether a thing was done with one, and does it for
// the user with that same control.
#pragma once

#include <QCoreApplication>
#include <QWidget>
#include <functional>

#include "core/base/error.h"
#include "ui/learn/model/lesson_file.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/live/requests/model/events_model.h"
#include "ui/window/parts/window_views.h"

namespace kvantage {

class LessonStage {
  Q_DECLARE_TR_FUNCTIONS(LessonStage)
 public:
  LessonStage(FrontierPage& frontier, WindowViews& views, EventsModel& log)
      : frontier_(frontier), views_(views), log_(log) {}
  /// The control, or all of the dock; null: there is no such thing now.
  QWidget* find(const LessonTarget& target) const;
  /// What is framed for a target: a slider with its number, not the slider alone.
  QWidget* framed(const LessonTarget& target) const;
  /// rejected_input with file and line: a target does not exist, its control cannot do what the step requests, or the
  /// layout is unknown.
  Status check(const Lesson& lesson) const;
  /// Whether the control is already as the act leaves it; of press and change never.
  bool is_done(const LessonStep& step) const;
  /// Calls `done` when the user (or perform) has done it; connections live as long as `context`.
  void watch(const LessonStep& step, QObject& context, const std::function<void()>& done) const;
  /// Does it as a hand would: the settings that follow are one undo step.
  void perform(const LessonStep& step) const;

 private:
  FrontierPage& frontier_;
  WindowViews& views_;
  EventsModel& log_;
};

}  // namespace kvantage
