// What part of the run's time is visible: zooming any time chart of the window moves it, and all of them show it. It is
// the whole run, whose end doubles as the run reaches it; a part that holds still; or a part that follows the newest
// time in steps of a quarter of its width.
#pragma once

#include <QObject>
#include <optional>
#include <utility>

namespace kvantage {

class TimeRange : public QObject {
  Q_OBJECT
 public:
  static constexpr double least_extent = 10, least_span = 0.01;  // s
  static constexpr double room_ahead = 0.25;                     // of what is visible, where it follows

  using QObject::QObject;

  /// In seconds of the run's clock.
  double begin() const { return part_ ? part_->first : 0; }
  double end() const { return part_ ? part_->second : extent_; }
  /// The end of an axis over the whole run: not before now().
  double extent() const { return extent_; }
  /// The latest time that was reached.
  double now() const { return now_; }
  bool whole() const { return !part_; }
  bool follows_now() const { return follows_; }

  /// Shows a part, which then holds still; within the run and at least `least_span` wide. All of the run: show_all().
  void show(double begin, double end);
  /// The whole run, now and as it grows.
  void show_all();
  /// On: what is visible moves with the run, as wide as it is. Off: it holds still, also where all is visible.
  void follow_now(bool on);

  /// The run is at this time; an earlier one changes nothing.
  void reach(double seconds);
  /// Another session or run: all of it is visible. `extent`: its length, if known; 0: not.
  void restart(double seconds = 0, double extent = 0);

 signals:
  void changed();

 private:
  using Part = std::pair<double, double>;
  std::optional<Part> newest(double width) const;
  void set(const std::optional<Part>& part, bool follows);

  std::optional<Part> part_;  // nothing: all of it
  double now_ = 0, extent_ = least_extent;
  bool follows_ = true;
};

}  // namespace kvantage
