// Lessons: layout, workload and steps out of a file, gone through with the user. While one runs nothing of its
// arrangement is kept; leaving it gives back the layout and the settings of before, and the workload where the lesson
// needed another.
#pragma once

#include "ui/learn/lesson_stage.h"
#include "ui/learn/model/lesson_file.h"
#include "ui/learn/walkthrough.h"
#include "ui/window/window_options.h"

namespace kvantage {

class Lessons : public Walkthrough {
  Q_OBJECT
 public:
  explicit Lessons(MainWindow& window);
  /// Those that the window offers, by their order.
  const std::vector<Lesson>& all() const { return lessons_; }
  /// Files that cannot be read, a line each.
  const QStringList& errors() const { return errors_; }
  /// Begins a lesson: here if its workload is loaded, otherwise in a new window that it requests. `refused` says why it
  /// cannot begin.
  void start(const QString& path);
  /// What the window was opened with, or was chosen while it loaded; called once it is ready. Whether a lesson follows.
  bool begin_as_asked();
  void close() override;
  /// Ends it without giving anything back: the window goes.
  void abandon();
  /// Whether it plays on another workload than the one that is open.
  bool wants_another_workload(const Lesson& lesson) const;
  /// Of the lesson that runs; null: none.
  const Lesson* lesson() const { return running() ? &lesson_ : nullptr; }

 signals:
  void refused(const QString& reason);
  void reopen(const QString& workload, const kvantage::WindowBeginning& begin);

 private:
  void begin_here(const Lesson& lesson);
  void give_back();
  WalkStep walk_step(const LessonStep& step);
  std::function<QString()> one_request_text(const QString& text);

  MainWindow& window_;
  LessonStage stage_;
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
