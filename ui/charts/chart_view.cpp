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
          data.logarithmic, data.places};
}

/// Of places one.
double least_span(const Ends& all, bool places) {
  if (places) return std::min(all.span(), 1.0);
  // Closer numbers are the same number.
  constexpr double rounding = 1e3 * std::numeric_limits<double>::epsilon();
  const double finest = rounding * std::max(std::abs(all.low), std::abs(all.high));
  return std::min(all.span(), std::max(ChartView::least_part * all.span(), finest));
}

/// As many whole places as `wanted` spans, from where it begins.
Ends whole_places(const Ends& wanted, const Ends& all) {
  const double count = std::clamp(std::round(wanted.span()), least_span(all, true), all.span());
  const double low = all.low + std::clamp(std::round(wanted.low - all.low), 0.0, all.span() - count);
  return {low, low + count};
}

AxisSpan limited(const Ends& wanted, const AxisSpan& data) {
  const Ends all = ends_of(data);
  if (!(all.span() > 0) || !std::isfinite(wanted.low) || !std::isfinite(wanted.high)) return data;
  const double least = least_span(all, data.places), span = std::clamp(wanted.span(), least, all.span());
  constexpr double rounding = 1e-9;  // zooming there and back ends where it began
  if (span >= all.span() * (1 - rounding)) return data;
  const double middle = (wanted.low + wanted.high) / 2;
  const double low =
      std::clamp(wanted.span() < least ? middle - span / 2 : wanted.low, all.low, std::max(all.low, all.high - span));
  const Ends inside{low, low + span};
  return axis_of(data.places ? whole_places(inside, all) : inside, data);
}

AxisSpan limited(const AxisSpan& wanted, const AxisSpan& data) {
  if (wanted.lower >= data.lower && wanted.upper <= data.upper) return wanted;
  return limited(ends_of({wanted.lower, wanted.upper, data.logarithmic, data.places}), data);
}

bool apart(const AxisSpan& one, const AxisSpan& other) { return one.upper <= other.lower || one.lower >= other.upper; }

/// At least one place less or more with each step; the one at `at` stays in view.
AxisSpan places_about(const AxisSpan& shown, const AxisSpan& data, double at, double factor) {
  const Ends now = ends_of(shown), all = ends_of(data);
  if (!(all.span() >= 1)) return data;
  const double share = std::clamp(at, 0.0, 1.0), still = now.low + share * now.span(),
               scaled = std::round(now.span() / factor);
  const double count =
      std::clamp(factor > 1 ? std::min(scaled, now.span() - 1) : std::max(scaled, now.span() + 1), 1.0, all.span());
  const double kept = all.low + std::min(std::floor(still - all.low), now.high - all.low - 1);
  const double low = std::clamp(all.low + std::round(still - share * count - all.low), kept + 1 - count, kept);
  return limited(Ends{low, low + count}, data);
}

AxisSpan zoomed_about(const AxisSpan& shown, const AxisSpan& data, double at, double factor) {
  if (data.places) return places_about(shown, data, at, factor);
  const Ends now = ends_of(shown);
  const double share = std::clamp(at, 0.0, 1.0), still = now.low + share * now.span();
  // Limited before the ends are: at the limit the place would drift otherwise.
  const double span = std::max(now.span() / factor, std::min(now.span(), least_span(ends_of(data), false)));
  return limited(Ends{still - share * span, still + (1 - share) * span}, data);
}

AxisSpan zoomed_to(const AxisSpan& shown, const AxisSpan& data, double from, double to) {
  const Ends now = ends_of(shown);
  const auto [low, high] = std::minmax(from, to);
  Ends box{now.low + low * now.span(), now.low + high * now.span()};
  if (data.places) {  // all that the box touches
    constexpr double touch = 1e-6;
    const double first = std::floor(box.low - now.low + touch), last = std::ceil(box.high - now.low - touch);
    box = {now.low + first, now.low + std::max(last, first + 1)};
  }
  return limited(box, data);
}

AxisSpan panned(const AxisSpan& shown, const AxisSpan& data, double by) {
  const Ends now = ends_of(shown), all = ends_of(data);
  const double below = std::min(0.0, all.low - now.low), above = std::max(0.0, all.high - now.high);
  const double wanted = by * now.span();
  const double shift = std::clamp(data.places ? std::round(wanted) : wanted, below, above);
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
