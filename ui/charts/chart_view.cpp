#include "ui/charts/chart_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvantage {
namespace {

/// Where zooming is linear: the quantity, or its logarithm.
struct Ends {
  double low = 0, high = 1;
  double span() const { return high - low; }
};

bool by_factors(const AxisSpan& axis) { return axis.logarithmic && axis.lower > 0 && axis.upper > 0; }

Ends ends_of(const AxisSpan& axis) {
  return by_factors(axis) ? Ends{std::log10(axis.lower), std::log10(axis.upper)} : Ends{axis.lower, axis.upper};
}

/// `data` gives the scale, and its own ends where `ends` reach them: a
/// logarithm and back is not exact.
AxisSpan axis_of(const Ends& ends, const AxisSpan& data) {
  const Ends all = ends_of(data);
  const auto value = [&](double at) { return by_factors(data) ? std::pow(10.0, at) : at; };
  return {ends.low <= all.low ? data.lower : value(ends.low), ends.high >= all.high ? data.upper : value(ends.high),
          data.logarithmic};
}

double least_span(const Ends& all) {
  // Closer numbers are the same number.
  constexpr double rounding = 1e3 * std::numeric_limits<double>::epsilon();
  const double finest = rounding * std::max(std::abs(all.low), std::abs(all.high));
  return std::min(all.span(), std::max(ChartView::least_part * all.span(), finest));
}

AxisSpan limited(const Ends& wanted, const AxisSpan& data) {
  const Ends all = ends_of(data);
  if (!(all.span() > 0) || !std::isfinite(wanted.low) || !std::isfinite(wanted.high)) return data;
  const double least = least_span(all), span = std::clamp(wanted.span(), least, all.span());
  constexpr double rounding = 1e-9;  // zooming there and back ends where it began
  if (span >= all.span() * (1 - rounding)) return data;
  const double middle = (wanted.low + wanted.high) / 2;
  const double low =
      std::clamp(wanted.span() < least ? middle - span / 2 : wanted.low, all.low, std::max(all.low, all.high - span));
  return axis_of({low, low + span}, data);
}

AxisSpan limited(const AxisSpan& wanted, const AxisSpan& data) {
  if (wanted.lower >= data.lower && wanted.upper <= data.upper) return wanted;
  return limited(ends_of({wanted.lower, wanted.upper, data.logarithmic}), data);
}

bool apart(const AxisSpan& one, const AxisSpan& other) { return one.upper <= other.lower || one.lower >= other.upper; }

AxisSpan zoomed_about(const AxisSpan& shown, const AxisSpan& data, double at, double factor) {
  const Ends now = ends_of(shown);
  const double share = std::clamp(at, 0.0, 1.0), still = now.low + share * now.span();
  // Limited before the ends are: at the limit the place would drift otherwise.
  const double span = std::max(now.span() / factor, std::min(now.span(), least_span(ends_of(data))));
  return limited(Ends{still - share * span, still + (1 - share) * span}, data);
}

AxisSpan zoomed_to(const AxisSpan& shown, const AxisSpan& data, double from, double to) {
  const Ends now = ends_of(shown);
  const auto [low, high] = std::minmax(from, to);
  return limited(Ends{now.low + low * now.span(), now.low + high * now.span()}, data);
}

AxisSpan panned(const AxisSpan& shown, const AxisSpan& data, double by) {
  const Ends now = ends_of(shown), all = ends_of(data);
  const double below = std::min(0.0, all.low - now.low), above = std::max(0.0, all.high - now.high);
  const double shift = std::clamp(by * now.span(), below, above);
  if (shift == 0 || !std::isfinite(shift)) return shown;
  return axis_of({shift == below ? all.low : now.low + shift, shift == above ? all.high : now.high + shift}, data);
}

}  // namespace

AxisRanges ChartView::unzoomed() const {
  if (!scrolls()) return data_;
  const double top = std::clamp(shown_.y.upper, data_.y.lower + page_, data_.y.upper);
  return {data_.x, {top - page_, top}};
}

void ChartView::set_data(const AxisRanges& data, double page) {
  const bool all_x = !held_ && shown_.x == data_.x, all_y = !held_ && shown_.y == unzoomed().y;
  data_ = data;
  page_ = page;
  if (fresh_) shown_ = data;  // from its top
  if (fresh_ || (!zoomed_ && !held_)) {
    shown_ = unzoomed();
    fresh_ = false;
    return;
  }
  if (!zoomed_) return;  // held as it was
  if (apart(shown_.x, data.x) || apart(shown_.y, data.y)) {
    reset();
    return;
  }
  shown_ = {all_x ? data.x : limited(shown_.x, data.x), all_y ? unzoomed().y : limited(shown_.y, data.y)};
}

bool ChartView::show(const AxisRanges& wanted) {
  const AxisRanges before = shown_;
  shown_ = wanted;
  const AxisRanges whole = unzoomed();
  // What panning and zooming there and back have rounded is a page again.
  if (scrolls() && std::abs(shown_.y.upper - shown_.y.lower - page_) <= 1e-9 * page_) shown_.y = whole.y;
  zoomed_ = shown_ != whole;
  return shown_ != before;
}

bool ChartView::zoom_about(const QPointF& at, double factor, AxisChoice axes) {
  if (!(factor > 0) || factor == 1) return false;
  return show({axes.x ? zoomed_about(shown_.x, data_.x, at.x(), factor) : shown_.x,
               axes.y ? zoomed_about(shown_.y, data_.y, at.y(), factor) : shown_.y});
}

bool ChartView::zoom_to(const QRectF& box, AxisChoice axes) {
  return show({axes.x ? zoomed_to(shown_.x, data_.x, box.left(), box.right()) : shown_.x,
               axes.y ? zoomed_to(shown_.y, data_.y, box.top(), box.bottom()) : shown_.y});
}

bool ChartView::pan(const QPointF& by, AxisChoice axes) {
  return show(
      {axes.x ? panned(shown_.x, data_.x, by.x()) : shown_.x, axes.y ? panned(shown_.y, data_.y, by.y()) : shown_.y});
}

bool ChartView::reset() {
  const AxisRanges before = shown_;
  shown_ = unzoomed();
  zoomed_ = false;
  return shown_ != before;
}

bool ChartView::show_x(const AxisSpan& span) { return show({limited(span, data_.x), shown_.y}); }

bool ChartView::show_all_x() { return show({data_.x, shown_.y}); }

void ChartView::forget() {
  zoomed_ = false;
  fresh_ = true;
}

void ChartView::hold(bool on) {
  held_ = on;
  if (!held_ && !zoomed_) shown_ = unzoomed();
}

}  // namespace kvantage
