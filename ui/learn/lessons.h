// Lessons: layout, workload and steps out of a file, gone through with the user. While one runs nothing of its
// arrangement is kept; leaving it gives back the layout and the settings of before, and the workload where the lesson
// needed another. A step can be returned to, and linked to.
#pragma once

#include <QUrl>

#include "ui/learn/lesson_stage.h"
#include "ui/learn/model/lesson_predictions.h"
#include "ui/learn/result_covers.h"
#include "ui/learn/step_starts.h"
#include "ui/learn/tour.h"
#include "ui/learn/walkthrough.h"
#include "ui/session/window_models.h"
#include "ui/window/layout/presenter.h"
#include "ui/window/parts/window_pages.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_options.h"

namespace kvantage {

/// What a lesson plays on. All of it outlives the lessons.
struct LessonSurroundings {
  QWidget& window;
  WindowModels& models;
  WindowPages& pages;
  WindowViews& views;
  Tour& tour;            // ends when a lesson begins
  Presenter& presenter;  // likewise
  const WindowOptions& options;
};

class LessonTools;

class Lessons : public Walkthrough {
  Q_OBJECT
 public:
  explicit Lessons(const LessonSurroundings& surroundings);
  ~Lessons() override;
  /// Those that the window offers, by their order.
  const std::vector<Lesson>& all() const { return lessons_; }
  /// Files that cannot be read, a line each.
  const QStringList& errors() const { return errors_; }
  /// Begins a lesson: here if its workload is loaded, otherwise in a new window that it requests. `refused` says why it
  /// cannot begin. `place`: its file, or a step of it (lesson_link.h).
  void start(const QString& place);
  /// What the window was opened with, or was chosen while it loaded; called once it is ready. Whether a lesson follows.
  bool begin_as_asked();
  void close() override;
  /// Ends it without giving anything back: the window goes.
  void abandon();
  /// Whether it plays on another workload than the one that is open.
  bool wants_another_workload(const Lesson& lesson) const;
  /// Of the lesson that runs; null: none.
  const Lesson* lesson() const { return running() ? &lesson_ : nullptr; }
  /// To a step of it, from 0, as it began; where it was not shown yet, with what the steps before it do. Settings
  /// change in one undo step.
  void go_to_step(int step);
  bool was_shown(int step) const { return running() && starts_.knows(step); }
  /// To the step that is shown; empty: none is.
  QString link() const;
  LessonPredictions& predictions() { return predictions_; }
  LessonTools& tools() { return *tools_; }

 public slots:
  /// One that was clicked in the documentation: begins that lesson, or says why not.
  void open_link(const QUrl& link);

 signals:
  void refused(const QString& reason);
  void reopen(const QString& workload, const kvantage::WindowBeginning& begin);

 private:
  void begin_here(const Lesson& lesson, int first_step);
  void give_back();
  void hide_results();
  WalkStep walk_step(int number);
  std::function<QString()> one_request_text(const QString& text);

  const LessonSurroundings around_;
  LessonStage stage_;
  StepStarts starts_;
  LessonPredictions predictions_;
  ResultCovers covers_;
  LessonTools* tools_ = nullptr;
  QStringList errors_;
  std::vector<Lesson> lessons_;
  Lesson lesson_;
  std::optional<LessonReturn> back_;
  SessionSettings settings_before_;
  QByteArray layout_before_;
  bool explained_before_ = false;
  QString waiting_;  // to begin when the engine has loaded
};

}  // namespace kvantage
