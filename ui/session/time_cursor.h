// The moment of the run that the mouse points at on any time chart; every time chart of the window marks it.
#pragma once

#include <QObject>
#include <optional>

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

 signals:
  void moved();

 private:
  std::optional<double> seconds_;
};

}  // namespace kvantage
