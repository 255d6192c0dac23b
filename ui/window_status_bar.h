// The status bar: state, model, workload, faults, work under way, requests served.
#pragma once

#include <QLabel>
#include <QObject>
#include <QProgressBar>
#include <QStatusBar>

#include "ui/models/run_model.h"
#include "ui/theme.h"

namespace kvantage {

class WindowStatusBar : public QObject {
  Q_OBJECT
 public:
  explicit WindowStatusBar(QStatusBar& bar);
  /// `committed`: the settings that requests are served under.
  void show_run(const RunModel& run, const SessionSettings& committed, const Theme& theme);
  /// Every part that has words, separated by bars.
  QString text() const;

 private:
  void show_work(const RunModel& run, const SessionSettings& committed);
  QLabel *state_, *model_, *workload_, *faults_, *eta_, *served_;
  QProgressBar* work_;
};

}  // namespace kvantage
