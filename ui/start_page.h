// What the window shows while the engine loads: every piece of work with its progress, or why it failed.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <functional>
#include <map>

#include "ui/models/lesson_file.h"
#include "ui/models/run_model.h"
#include "ui/theme.h"

namespace kvantage {

class StartPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit StartPage(RunModel& run, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// A line below the progress: lessons to begin with when all is loaded.
  void offer_lessons(const std::vector<Lesson>& lessons, const std::function<void(const QString& path)>& begin);
  int work_count() const { return static_cast<int>(rows_.size()); }

 private:
  void show_state(RunState state);
  void show_work();
  struct Row {
    QLabel *what, *amount;
    QProgressBar* bar;
  };
  RunModel& run_;
  QLabel *logo_, *title_, *subtitle_;
  QVBoxLayout *work_, *lessons_;
  std::map<QString, Row> rows_;
  QToolButton* lesson_button_ = nullptr;
  QString chosen_;  // the lesson that waits, in words
};

}  // namespace kvantage
