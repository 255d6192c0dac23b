// What a chart's axes show: all of the data, or a part of it that the user zoomed to. Plain values, no widget.
#pragma once

#include <QPointF>
#include <QRectF>

namespace kvantage {

/// The ends of an axis, in its own unit.
struct AxisSpan {
  double lower = 0, upper = 1;
  bool logarithmic = false;  // zooms and pans by factors; both ends are positive
  bool places = false;       // of a list, 1 each from the lower end of all data: none is cut in two
  bool operator==(const AxisSpan&) const = default;
};

struct AxisRanges {
  AxisSpan x, y;
  bool operator==(const AxisRanges&) const = default;
};

/// Which axes are meant.
struct AxisChoice {
  bool x = true, y = true;
  bool any() const { return x || y; }
};

/// Places are shares of what is shown: (0, 0) is the lower left corner, (1, 1) the upper right one. Each gesture is
/// limited to the range of the data and to a least span, and returns whether anything moved.
class ChartView {
 public:
  /// The least that is shown of an axis, as a part of the data's range.
  static constexpr double least_part = 1e-4;

  explicit ChartView(const AxisRanges& data = {}) : data_(data), shown_(data) {}

  /// The range of the data now. An axis shows it unless it is zoomed or the view is held. `page`: of a chart that
  /// scrolls, y shows this much of it unzoomed, at whichever place, the top at first; 0: all of it.
  void set_data(const AxisRanges& data, double page = 0);
  const AxisRanges& data() const { return data_; }
  /// There is more of y than a page; without zoom, too, it pans.
  bool scrolls() const { return page_ > 0 && page_ < data_.y.upper - data_.y.lower; }
  const AxisRanges& shown() const { return shown_; }
  bool zoomed() const { return zoomed_; }

  /// A factor above 1 zooms in; what is at `at` stays there.
  bool zoom_about(const QPointF& at, double factor, AxisChoice axes = {});
  /// Shows what is in the box; its corners may be in any order.
  bool zoom_to(const QRectF& box, AxisChoice axes = {});
  /// By a fraction of what is shown: (0.1, 0) shows later data on a time axis.
  bool pan(const QPointF& by, AxisChoice axes = {});
  /// A page stays where it begins.
  bool reset();
  /// A part of x alone, or all of it.
  bool show_x(const AxisSpan& span);
  bool show_all_x();
  /// Other data comes with the next set_data(): it is shown whole, also by a held view.
  void forget();

  /// A held view keeps its axes while data comes in, also unzoomed.
  void hold(bool on);
  bool held() const { return held_; }

 private:
  bool show(const AxisRanges& wanted);
  AxisRanges unzoomed() const;
  AxisRanges data_, shown_;
  double page_ = 0;
  bool zoomed_ = false, held_ = false, fresh_ = false;
};

}  // namespace kvantage
