// One timeline under Live: what happened when, for all time charts. It owns no data; the range that it moves is shared
// by all of them.
#pragma once

#include <QToolButton>
#include <QWidget>
#include <functional>
#include <memory>

#include "ui/live/timeline/time_line_strip.h"
#include "ui/session/selection.h"

namespace kvantage {

class ReplayController;

class TimeLine : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// Both outlive this; the range is that of `selection`'s time.
  TimeLine(TimeLineModel& model, Selection& selection, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override { strip_->set_theme(theme); }
  /// A recorded run is shown whole, with all of its annotations, and a click goes to its time.
  void follow_replay(ReplayController& replay);
  /// Called for a click on a time; without it a click only marks the time.
  void on_seek(std::function<void(double seconds)> seek) { seek_ = std::move(seek); }
  TimeLineStrip& strip() const { return *strip_; }
  QToolButton& follow_button() const { return *follow_; }

 signals:
  /// An annotation was chosen: the window may show where it happened. Its context is selected already.
  void annotationChosen(const kvantage::TimeAnnotation& annotation);

 private:
  TimeRange& range() const { return selection_.time().range(); }
  void choose(std::size_t annotation);
  void show_range();
  TimeLineModel& model_;
  Selection& selection_;
  std::unique_ptr<TimeLineModel> recorded_;  // while a recorded run is shown
  std::function<void(double)> seek_;
  TimeLineStrip* strip_;
  QToolButton* follow_;
};

}  // namespace kvantage

Q_DECLARE_METATYPE(kvantage::TimeAnnotation)
