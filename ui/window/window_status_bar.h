// The status bar: state, model, workload, faults, running work, requests served, tokens per second, queue, memory,
// and whether metrics are measured, throttled or simulated.
#pragma once

#include <QObject>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include "ui/look/theme.h"
#include "ui/session/run_model.h"
#include "ui/widgets/eliding_label.h"

namespace kvantage {

class WindowStatusBar : public QObject {
  Q_OBJECT
 public:
  explicit WindowStatusBar(QStatusBar& bar);
  /// `committed`: the settings that requests are served under.
  void show_run(const RunModel& run, const SessionSettings& committed, const Theme& theme);
  /// Which recorded run is shown in place of the live one; empty: none.
  void show_replay(const QString& run_id);
  /// Whether Session::profile_all() is in progress, which can be stopped here.
  void show_profiling(bool in_progress);
  /// How many programs are connected to the session's socket; nothing where none is.
  void show_connections(int programs);
  /// Every part that has words, separated by bars.
  QString text() const;

 signals:
  /// The live run shall be shown again.
  void liveRequested();
  void stopProfilingRequested();

 private:
  void show_work(const RunModel& run, const SessionSettings& committed);
  void show_gauges(const RunModel& run, const SessionSettings& committed, const Theme& theme);
  void fit_parts();
  void show_memory();
  QStatusBar& bar_;
  ElidingLabel *state_, *model_, *workload_, *faults_, *connected_, *eta_, *served_, *speed_, *queue_, *memory_,
      *badge_;
  QTimer memory_timer_;
  QProgressBar* work_;
  QToolButton *replay_, *stop_profiling_;
};

}  // namespace kvantage
