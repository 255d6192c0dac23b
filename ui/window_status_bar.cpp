#include "ui/window_status_bar.h"

#include <cmath>

#include "ui/fault_menu.h"
#include "ui/models/words.h"

namespace kvantage {

WindowStatusBar::WindowStatusBar(QStatusBar& bar)
    : QObject(&bar),
      state_(new QLabel),
      model_(new QLabel),
      workload_(new QLabel),
      faults_(new QLabel),
      eta_(new QLabel),
      served_(new QLabel),
      work_(new QProgressBar),
      replay_(new QToolButton) {
  replay_->setObjectName("replayBadge");
  replay_->setFocusPolicy(Qt::TabFocus);
  replay_->setAccessibleName(QStringLiteral("Back to the live run"));
  replay_->setToolTip(QStringLiteral("Every view shows a recorded run, nothing is computed, and the live engine waits. Click to go back to the live run"));
  replay_->hide();
  connect(replay_, &QToolButton::clicked, this, &WindowStatusBar::liveRequested);
  state_->setAccessibleName(QStringLiteral("State of the run"));
  faults_->setObjectName("faultsLabel");
  faults_->setAccessibleName(QStringLiteral("Faults injected"));
  faults_->hide();
  work_->setFixedWidth(110);
  work_->setTextVisible(false);
  work_->setAccessibleName(QStringLiteral("Background work"));
  work_->hide();
  bar.setSizeGripEnabled(false);
  bar.addWidget(replay_);
  for (QLabel* label : {state_, model_, workload_}) bar.addWidget(label);
  bar.addPermanentWidget(faults_);  // stays beside a tip
  bar.addPermanentWidget(eta_);
  bar.addPermanentWidget(work_);
  bar.addPermanentWidget(served_);
}

void WindowStatusBar::show_replay(const QString& run_id) {
  replay_->setText(run_id.isEmpty() ? QString() : QStringLiteral("replay of %1 – back to live").arg(run_id));
  replay_->setAccessibleName(replay_->text());
  replay_->setVisible(!run_id.isEmpty());
}

QString WindowStatusBar::text() const {
  QStringList parts;
  if (!replay_->text().isEmpty()) parts << replay_->text();
  for (const QLabel* label : {state_, model_, workload_, faults_, eta_, served_}) parts << label->text();
  return parts.join(" | ");
}

void WindowStatusBar::show_run(const RunModel& run, const SessionSettings& committed, const Theme& theme) {
  const RunState state = run.state();
  const QColor colour = state == RunState::running  ? theme.good
                        : state == RunState::failed ? theme.error
                        : state == RunState::paused ? theme.warning
                                                    : theme.muted;
  state_->setText(QStringLiteral("<span style='color:%1'>●</span> %2").arg(colour.name(), state_text(state)));
  const SessionInfo& info = run.info();
  model_->setText(info.model_name.empty() ? QString()
                                          : QStringLiteral("%1, %2").arg(to_q(info.model_name), to_q(info.device)));
  model_->setToolTip(QStringLiteral("%1 parameters, %2 layers, %3 KV heads of %4")
                         .arg(info.parameters)
                         .arg(info.layers)
                         .arg(info.kv_heads)
                         .arg(info.head_dim));
  workload_->setText(info.workload_name.empty()
                         ? QString()
                         : QStringLiteral("%1: %2 contexts").arg(to_q(info.workload_name)).arg(info.contexts));
  workload_->setToolTip(QStringLiteral("%1 contexts, %2 questions").arg(info.contexts).arg(info.questions));

  const QString faults = faults_of_session(committed);
  faults_->setVisible(!faults.isEmpty());
  faults_->setText(faults.isEmpty() ? QString()
                                    : QStringLiteral("<span style='color:%1'>▲</span> faults injected").arg(theme.warning.name()));
  faults_->setToolTip(QStringLiteral("On purpose, in the files of these tiers:\n%1").arg(faults));
  show_work(run, committed);
}

void WindowStatusBar::show_work(const RunModel& run, const SessionSettings& committed) {
  const RunState state = run.state();
  const std::uint64_t limit = committed.request_limit;
  const double rate = run.requests_per_second();
  QString served = limit ? QStringLiteral("%1 of %2 requests").arg(run.served()).arg(limit)
                         : QStringLiteral("%1 requests").arg(run.served());
  if (rate > 0 && state == RunState::running) served += QStringLiteral(", %1/s").arg(number_text(rate));
  served_->setText(served);

  const RunModel::Work* busy = nullptr;
  for (const RunModel::Work& work : run.work())
    if (!work.finished() && (state == RunState::running || state == RunState::loading)) busy = &work;  // else it rests
  work_->setVisible(busy != nullptr && state != RunState::loading);
  QString eta;
  if (busy) {
    work_->setRange(0, busy->total == 0 ? 0 : 1000);
    if (busy->total > 0)
      work_->setValue(static_cast<int>(1000.0 * static_cast<double>(busy->done) / static_cast<double>(busy->total)));
    eta = busy->what;
    if (busy->eta_seconds > 1) eta += QStringLiteral(", %1 left").arg(seconds_text(std::ceil(busy->eta_seconds)));
  } else if (limit > run.served() && rate > 0 && state == RunState::running) {
    eta = QStringLiteral("%1 left").arg(seconds_text(std::ceil(static_cast<double>(limit - run.served()) / rate)));
  }
  eta_->setText(eta);
}

}  // namespace kvantage
