// The moment of the run that the mouse points at on any time chart; every time chart of the window marks it. With it
// goes the part of the run that they all show.
#pragma once

#include <QObject>
#include <optional>

#include "ui/session/time_range.h"

namespace kvantage {

class TimeCursor : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// Of the run's clock; nothing: the mouse is on no time chart.
  std::optional<double> seconds() const { return seconds_; }
  void point_at(std::optional<double> seconds) {
    if (seconds == seconds_) return;
    seconds_ = seconds;
    emit moved();
  }
  /// What the time charts show.
  TimeRange& range() const { return *range_; }

 signals:
  void moved();

 private:
  std::optional<double> seconds_;
  TimeRange* range_ = new TimeRange(this);
};

}  // namespace kvantage
