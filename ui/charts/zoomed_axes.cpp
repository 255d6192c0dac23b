#include "ui/charts/zoomed_axes.h"

#include <QRegularExpression>
#include <QTextDocumentFragment>
#include <algorithm>
#include <cmath>

#include "ui/charts/ticks.h"

namespace kvantage {
namespace {

/// What follows the number in labels of this form: " s" of "%.1f s".
QString unit_of(const QString& format) {
  static const QRegularExpression form(QStringLiteral("^%[-+ 0-9.]*[a-zA-Z](.*)$"));
  return form.match(format).captured(1);
}

/// Places are 1 wide and have their middle at 0, 1, 2 …
constexpr double half_place = 0.5;

struct PlaceEnds {
  int first = 0, last = 0;
};

PlaceEnds place_ends(const AxisSpan& shown, int count) {
  const auto place = [count](double at) {
    return std::clamp(static_cast<int>(std::lround(at)), 0, std::max(0, count - 1));
  };
  return {place(shown.lower + half_place), place(shown.upper - half_place)};
}

void show_places(QBarCategoryAxis& axis, const AxisSpan& shown) {
  if (axis.count() == 0) return;
  const auto [first, last] = place_ends(shown, axis.count());
  axis.setRange(axis.at(first), axis.at(last));
}

}  // namespace

void ZoomedAxes::zoom_log_axis(QCategoryAxis& axis, std::function<void(double, double)> label) {
  log_axis_ = &axis;
  label_log_axis_ = std::move(label);
}

// An axis of categories is one of numbers, too, for Qt.
QValueAxis* ZoomedAxes::axis_of(Qt::Orientation orientation) const {
  if (orientation == Qt::Horizontal && log_axis_ != nullptr) return log_axis_;
  const auto axes = chart_.axes(orientation);
  auto* axis = qobject_cast<QValueAxis*>(axes.value(0));
  return qobject_cast<QCategoryAxis*>(axis) != nullptr ? nullptr : axis;
}

QBarCategoryAxis* ZoomedAxes::places_of(Qt::Orientation orientation) const {
  const auto axes = chart_.axes(orientation);
  return qobject_cast<QBarCategoryAxis*>(axes.value(0));
}

AxisChoice ZoomedAxes::zoom_axes() const {
  if (empty_()) return {false, false};
  const auto may = [this](Qt::Orientation orientation) {
    if (const QBarCategoryAxis* places = places_of(orientation)) return places->count() > 1;
    return axis_of(orientation) != nullptr;
  };
  return {may(Qt::Horizontal), may(Qt::Vertical)};
}

std::optional<std::pair<QString, QString>> ZoomedAxes::end_names(Qt::Orientation orientation) const {
  const QBarCategoryAxis* places = places_of(orientation);
  if (places == nullptr) return std::nullopt;
  const auto plain = [](const QString& name) { return QTextDocumentFragment::fromHtml(name).toPlainText(); };
  return std::pair{plain(places->min()), plain(places->max())};
}

void ZoomedAxes::take(Qt::Orientation orientation, Kept& kept) const {
  if (const QBarCategoryAxis* places = places_of(orientation)) {
    kept.low = -half_place;
    kept.high = places->count() - half_place;
    return;
  }
  const QValueAxis* axis = axis_of(orientation);
  if (axis == nullptr || kept.replaced) return;
  kept.low = axis->min();
  kept.high = axis->max();
  kept.interval = axis->tickInterval();
  kept.count = axis->tickCount();
  kept.type = axis->tickType();
  kept.format = axis->labelFormat();
}

void ZoomedAxes::take() {
  take(Qt::Horizontal, x_);
  take(Qt::Vertical, y_);
}

void ZoomedAxes::restore(Qt::Orientation orientation, Kept& kept) const {
  if (QBarCategoryAxis* places = places_of(orientation); places != nullptr && kept.replaced) {
    kept.replaced = false;
    return show_places(*places, {kept.low, kept.high});
  }
  QValueAxis* axis = axis_of(orientation);
  if (axis == nullptr || !kept.replaced) return;
  kept.replaced = false;
  if (axis == log_axis_) return label_log_axis_(std::pow(10, kept.low), std::pow(10, kept.high));
  axis->setTickType(kept.type);
  axis->setTickCount(kept.count);
  set_ticks(*axis, kept.low, kept.high, kept.interval > 0 ? kept.interval : kept.high - kept.low);
  axis->setTickInterval(kept.interval);
  axis->setLabelFormat(kept.format);
}

void ZoomedAxes::restore() {
  restore(Qt::Horizontal, x_);
  restore(Qt::Vertical, y_);
}

AxisRanges ZoomedAxes::own_ranges() const {
  AxisRanges ranges{{x_.low, x_.high}, {y_.low, y_.high}};
  ranges.x.places = places_of(Qt::Horizontal) != nullptr;
  ranges.y.places = places_of(Qt::Vertical) != nullptr;
  if (log_axis_ != nullptr) ranges.x = {std::pow(10, x_.low), std::pow(10, x_.high), true};
  return ranges;
}

AxisRanges ZoomedAxes::data_ranges() const {
  AxisRanges ranges = own_ranges();
  if (const auto limits = limits_ ? limits_() : std::nullopt) ranges.x = *limits;
  return ranges;
}

void ZoomedAxes::show(Qt::Orientation orientation, Kept& kept, const AxisSpan& shown, int max_ticks) const {
  QBarCategoryAxis* places = places_of(orientation);
  QValueAxis* axis = axis_of(orientation);
  if (axis == nullptr && places == nullptr) return;
  const AxisRanges own = own_ranges();
  if (shown == (orientation == Qt::Horizontal ? own.x : own.y)) return restore(orientation, kept);
  kept.replaced = true;
  if (places != nullptr) return show_places(*places, shown);
  if (axis == log_axis_) return label_log_axis_(shown.lower, shown.upper);
  set_round_ticks(*axis, shown.lower, shown.upper, max_ticks, unit_of(kept.format));
  axis->setTickType(QValueAxis::TicksDynamic);
}

void ZoomedAxes::show_ranges(const AxisRanges& shown) {
  constexpr double low_plot = 120;  // pixels
  show(Qt::Horizontal, x_, shown.x, 7);
  show(Qt::Vertical, y_, shown.y, chart_.plotArea().height() < low_plot ? 3 : 6);
  if (shown_) shown_();
}

}  // namespace kvantage
