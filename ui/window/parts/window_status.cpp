#include "ui/window/parts/window_status.h"

#include <QTimer>
#include <utility>

namespace kvantage {

WindowStatus::WindowStatus(QStatusBar& bar, WindowModels& models, const WindowLooks& looks,
                           std::function<int()> connections)
    : QObject(&bar),
      models_(models),
      looks_(looks),
      parts_(new WindowStatusBar(bar)),
      lazy_(new LazyRefresh(
          bar, [this] { show(); }, 100)) {
  const RunModel& run = models.run;
  connect(&run.requests, &QAbstractItemModel::rowsInserted, this, [this] { lazy_->invalidate(); });  // the queue
  for (auto signal : {&RunModel::servedChanged, &RunModel::workChanged})
    connect(&run, signal, this, [this] { lazy_->invalidate(); });
  connect(&run, &RunModel::infoChanged, this, &WindowStatus::show);
  connect(&run, &RunModel::snapshotChanged, this, [this] { lazy_->invalidate(); });  // profiling_all
  connect(&run, &RunModel::stateChanged, this, &WindowStatus::show);
  connect(&models.settings, &SettingsController::committedChanged, this, &WindowStatus::show);
  connect(&looks, &WindowLooks::themeChanged, this, &WindowStatus::show);
  connect(&models.replay, &ReplayController::activeChanged, this, [this] {
    parts_->show_replay(models_.replay.run_id());
    show();
  });
  if (connections) {
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this,
            [this, connections = std::move(connections)] { parts_->show_connections(connections()); });
    constexpr int connections_interval_ms = 500;
    timer->start(connections_interval_ms);
  }
  connect(parts_, &WindowStatusBar::liveRequested, &models.replay, &ReplayController::close);
  connect(parts_, &WindowStatusBar::stopProfilingRequested, this, [this] { models_.session.stop_profiling(); });
}

void WindowStatus::show() {
  parts_->show_profiling(models_.session.gauges().profiling_all != ProfilingAll::no);
  parts_->show_run(models_.run, models_.settings.committed(), looks_.theme());
}

}  // namespace kvantage
