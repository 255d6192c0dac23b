#include "ui/window/window_status_bar.h"

#include <algorithm>
#include <cmath>

#include "ui/papers/model/figure_job.h"
#include "ui/session/serving_gauges.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/window/fault_menu.h"

namespace kvantage {

WindowStatusBar::WindowStatusBar(QStatusBar& bar)
    : QObject(&bar),
      bar_(bar),
      state_(new ElidingLabel),
      model_(new ElidingLabel),
      workload_(new ElidingLabel),
      faults_(new ElidingLabel),
      connected_(new ElidingLabel),
      eta_(new ElidingLabel),
      served_(new ElidingLabel),
      speed_(new ElidingLabel),
      queue_(new ElidingLabel),
      memory_(new ElidingLabel),
      badge_(new ElidingLabel),
      work_(new QProgressBar),
      replay_(new QToolButton),
      stop_profiling_(new QToolButton) {
  replay_->setObjectName("replayBadge");
  replay_->setFocusPolicy(Qt::TabFocus);
  replay_->setAccessibleName(tr("Back to the live run"));
  replay_->setToolTip(tr("All views show a recorded run; the live engine is paused. Click to return to the live run."));
  replay_->hide();
  connect(replay_, &QToolButton::clicked, this, &WindowStatusBar::liveRequested);
  state_->setAccessibleName(tr("Run state"));
  faults_->setObjectName("faultsLabel");
  faults_->setAccessibleName(tr("Injected faults"));
  faults_->hide();
  connected_->setObjectName("connectedLabel");
  connected_->setAccessibleName(tr("Connected programs"));
  connected_->setToolTip(
      tr("Programs connected to this session's socket (--listen): they can read texts and decisions, ask questions and "
         "change settings"));
  connected_->hide();
  work_->setFixedWidth(110);
  work_->setTextVisible(false);
  work_->setAccessibleName(tr("Background work"));
  work_->hide();
  stop_profiling_->setObjectName("stopProfiling");
  stop_profiling_->setText(tr("Stop"));
  stop_profiling_->setFocusPolicy(Qt::TabFocus);
  stop_profiling_->setAccessibleName(tr("Stop profiling"));
  stop_profiling_->setToolTip(tr("Stop profiling; what is measured is kept"));
  stop_profiling_->hide();
  connect(stop_profiling_, &QToolButton::clicked, this, &WindowStatusBar::stopProfilingRequested);
  bar.setSizeGripEnabled(false);
  bar.addWidget(replay_);
  for (ElidingLabel* label : {state_, model_, workload_}) bar.addWidget(label);
  for (ElidingLabel* label : {model_, workload_, eta_})
    label->setMinimumWidth(1);  // large text may cut them, and their tips say the rest
  for (ElidingLabel* label : {faults_, connected_}) bar.addPermanentWidget(label);  // stay beside a tip
  bar.addPermanentWidget(eta_);
  bar.addPermanentWidget(work_);
  bar.addPermanentWidget(stop_profiling_);
  speed_->setObjectName("speedLabel");
  speed_->setAccessibleName(tr("Tokens per second"));
  speed_->setToolTip(tr("Answer tokens per second, over the latest requests (at most 50)"));
  queue_->setObjectName("queueLabel");
  queue_->setAccessibleName(tr("Queue"));
  queue_->setToolTip(
      tr("Requests in flight and waiting. With an arrival rate, the number waiting is an estimate:\nthe rate times the "
         "queueing time of the last answered request. In a closed loop none waits."));
  memory_->setObjectName("memoryLabel");
  memory_->setAccessibleName(tr("Memory in use"));
  memory_->setToolTip(tr("Resident memory of KVantage: model, caches, host memory tier and window"));
  badge_->setObjectName("provenanceBadge");
  badge_->setAccessibleName(tr("Provenance"));
  for (ElidingLabel* label : {served_, speed_, queue_, memory_, badge_}) bar.addPermanentWidget(label);
  constexpr int memory_interval_ms = 1000;
  connect(&memory_timer_, &QTimer::timeout, this, &WindowStatusBar::show_memory);
  memory_timer_.start(memory_interval_ms);
  show_memory();
}

void WindowStatusBar::show_replay(const QString& run_id) {
  // The part of an id that distinguishes it from others: the whole of it would cut the text beside it.
  replay_->setText(run_id.isEmpty() ? QString() : tr("replay of %1 – back to live").arg(run_id.section('-', -1)));
  replay_->setAccessibleName(replay_->text());
  replay_->setVisible(!run_id.isEmpty());
}

void WindowStatusBar::show_profiling(bool in_progress) { stop_profiling_->setVisible(in_progress); }

void WindowStatusBar::show_connections(int programs) {
  connected_->setText(programs > 0 ? tr("connected: %1").arg(programs) : QString());
  connected_->setVisible(programs > 0);
  fit_parts();
}

QString WindowStatusBar::text() const {
  QStringList parts;
  if (!replay_->text().isEmpty()) parts << replay_->text();
  for (const ElidingLabel* label :
       {state_, model_, workload_, faults_, connected_, eta_, served_, speed_, queue_, memory_, badge_})
    parts << label->text();
  return parts.join(" | ");
}

void WindowStatusBar::show_run(const RunModel& run, const SessionSettings& committed, const Theme& theme) {
  const RunState state = run.state();
  const QColor color = state == RunState::running  ? theme.good
                       : state == RunState::failed ? theme.error
                       : state == RunState::paused ? theme.warning
                                                   : theme.muted;
  state_->set_sign(QStringLiteral("●"), color);
  state_->setText(state_text(state));
  const SessionInfo& info = run.info();
  model_->setText(info.model_name.empty()
                      ? QString()
                      : QStringLiteral("%1, %2").arg(core_text(info.model_name), core_text(info.device)));
  model_->setToolTip(tr("%1 parameters, %2 layers, %3 KV heads of dimension %4")
                         .arg(info.parameters)
                         .arg(info.layers)
                         .arg(info.kv_heads)
                         .arg(info.head_dim));
  workload_->setText(
      info.workload_name.empty()
          ? QString()
          : tr("%1: %n context(s)", nullptr, static_cast<int>(info.contexts)).arg(to_q(info.workload_name)));
  workload_->setToolTip(tr("%1 contexts, %2 questions").arg(info.contexts).arg(info.questions));

  const QString faults = faults_of_session(committed);
  faults_->setVisible(!faults.isEmpty());
  faults_->set_sign(QStringLiteral("▲"), theme.warning);
  faults_->setText(faults.isEmpty() ? QString() : tr("faults injected"));
  faults_->setToolTip(tr("Injected into the files of these tiers:\n%1").arg(faults));
  show_work(run, committed);
  show_gauges(run, committed, theme);
  fit_parts();
}

// Where not everything fits, the model's name and device are cut first, then the workload's name, and what says least
// goes before other words are.
void WindowStatusBar::fit_parts() {
  constexpr int between = 8, min_names_width = 180;  // pixels
  const auto width_of = [](const QWidget* part) { return part->sizeHint().width() + between; };
  int room = bar_.width();  // for both names
  for (const QWidget* part : std::initializer_list<const QWidget*>{replay_, state_, faults_, connected_, eta_, work_,
                                                                   stop_profiling_, served_, badge_})
    if (!part->isHidden()) room -= width_of(part);
  for (ElidingLabel* label : {queue_, speed_, memory_}) {
    const bool shown = !label->text().isEmpty() && room - width_of(label) >= min_names_width;
    label->setVisible(shown);
    if (shown) room -= width_of(label);
  }
  for (ElidingLabel* name : {workload_, model_}) {
    const int wanted = name->sizeHint().width(), given = std::clamp(room - between, 1, std::max(1, wanted));
    name->setMaximumWidth(given < wanted ? given : QWIDGETSIZE_MAX);
    room -= given + between;
  }
}

void WindowStatusBar::show_gauges(const RunModel& run, const SessionSettings& committed, const Theme& theme) {
  const ServingGauges gauges = serving_gauges(run, committed);
  speed_->setText(gauges.tokens_per_second > 0 ? tr("%1 tokens/s").arg(number_text(gauges.tokens_per_second))
                                               : QString());
  const bool serving = run.state() == RunState::running || run.state() == RunState::paused;
  const QString waiting =
      committed.requests_per_second > 0 ? QStringLiteral("≈ %1").arg(std::lround(gauges.waiting)) : QStringLiteral("0");
  queue_->setText(serving ? tr("%1 running, %2 waiting").arg(gauges.running).arg(waiting) : QString());
  const QColor color = gauges.provenance == Provenance::measured ? theme.good : theme.warning;
  badge_->set_sign(QStringLiteral("■"), color);
  badge_->setText(provenance_text(gauges.provenance));
  badge_->setToolTip(provenance_tip(gauges.provenance));
}

void WindowStatusBar::show_memory() {
  const std::uint64_t bytes = resident_bytes();
  memory_->setText(bytes > 0 ? bytes_text(static_cast<double>(bytes)) : QString());
}

void WindowStatusBar::show_work(const RunModel& run, const SessionSettings& committed) {
  const RunState state = run.state();
  const std::uint64_t limit = committed.request_limit;
  const double rate = run.requests_per_second();
  const QString served = limit ? tr("%1 of %n request(s)", nullptr, static_cast<int>(limit)).arg(run.served())
                               : tr("%n request(s)", nullptr, static_cast<int>(run.served()));
  served_->setText(rate > 0 && state == RunState::running ? tr("%1, %2/s").arg(served, number_text(rate)) : served);

  const RunModel::Work* busy = nullptr;
  for (const RunModel::Work& work : run.work())
    if (!work.finished() && (state == RunState::running || state == RunState::loading || !stop_profiling_->isHidden()))
      busy = &work;  // else it rests
  work_->setVisible(busy != nullptr && state != RunState::loading);
  QString eta;
  if (busy) {
    work_->setRange(0, busy->total == 0 ? 0 : 1000);
    if (busy->total > 0)
      work_->setValue(static_cast<int>(1000.0 * static_cast<double>(busy->done) / static_cast<double>(busy->total)));
    eta = busy->what;
    if (busy->eta_seconds > 1) eta = tr("%1, %2 left").arg(eta, duration_text(std::ceil(busy->eta_seconds)));
  } else if (limit > run.served() && rate > 0 && state == RunState::running) {
    eta = tr("%1 left").arg(duration_text(std::ceil(static_cast<double>(limit - run.served()) / rate)));
  }
  eta_->setText(eta);
}

}  // namespace kvantage
