#include "ui/live/timeline/time_line.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <optional>
#include <utility>

#include "ui/runs/model/replay_controller.h"

namespace kvantage {

TimeLine::TimeLine(TimeLineModel& model, Selection& selection, QWidget* parent)
    : QWidget(parent),
      model_(model),
      selection_(selection),
      strip_(new TimeLineStrip(model, selection.time())),
      follow_(new QToolButton) {
  setObjectName(QStringLiteral("timeLine"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 4, 0);
  row->setSpacing(2);
  row->addWidget(strip_, 1);
  follow_->setText(tr("Follow"));
  follow_->setCheckable(true);
  follow_->setProperty("framed", true);
  follow_->setFocusPolicy(Qt::TabFocus);
  follow_->setAccessibleName(tr("Follow the newest part of the run"));
  follow_->setToolTip(tr("Keep the newest part of the run in view, in all time charts"));
  row->addWidget(follow_, 0, Qt::AlignVCenter);
  connect(follow_, &QToolButton::toggled, this, [this](bool on) { range().follow_now(on); });
  connect(&range(), &TimeRange::changed, this, &TimeLine::show_range);
  connect(&model_, &TimeLineModel::changed, this, [this] {
    if (!recorded_) range().reach(model_.now());
  });
  share_contexts(strip_->brush(), selection);
  connect(strip_, &TimeLineStrip::chosen, this, &TimeLine::choose);
  connect(strip_, &TimeLineStrip::timePicked, this, [this](double seconds) {
    if (seek_) seek_(seconds);
  });
  range().reach(model_.now());
  show_range();
}

void TimeLine::show_range() {
  const QSignalBlocker quiet(follow_);
  follow_->setChecked(range().follows_now());
}

void TimeLine::choose(std::size_t index) {
  const auto& annotations = strip_->model().annotations();
  if (index >= annotations.size()) return;
  const TimeAnnotation chosen = annotations[index];  // seeking may change the list
  if (seek_) seek_(chosen.seconds);
  if (!chosen.mark.context.isEmpty()) selection_.choose_context(chosen.mark.context);
  selection_.time().point_at(chosen.seconds);
  emit annotationChosen(chosen);
}

void TimeLine::follow_replay(ReplayController& replay) {
  seek_ = [&replay](double seconds) {
    if (replay.active()) replay.seek_seconds(seconds);
  };
  connect(&replay, &ReplayController::activeChanged, this, [this, &replay](bool active) {
    if (active) {
      auto recorded = std::make_unique<TimeLineModel>();
      recorded->set_content(annotations_of(replay.source()->recorded().events));
      strip_->set_model(*recorded);
      recorded_ = std::move(recorded);
    } else {
      strip_->set_model(model_);
      recorded_.reset();
    }
    strip_->set_moment(active ? std::optional(replay.now_seconds()) : std::nullopt);
    range().restart(active ? replay.now_seconds() : model_.now(), active ? replay.duration() : 0);
  });
  connect(&replay, &ReplayController::moved, this, [this, &replay] {
    if (!replay.active()) return;
    strip_->set_moment(replay.now_seconds());
    range().reach(replay.now_seconds());
  });
}

}  // namespace kvantage
