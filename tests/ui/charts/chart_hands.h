// Charts with a few known points, their axes, and events as they come from the system.
#pragma once

#include <QApplication>
#include <QChartView>
#include <QMouseEvent>
#include <QToolButton>
#include <QValueAxis>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/experiments/paper_figures.h"
#include "ui/charts/chart_panel.h"
#include "ui/live/tiers/model/hit_rate_model.h"

namespace kvantage::chart_hands {

inline FigureResult ramp(double top = 10) {
  FigureResult result = begin_figure("evicpress/fig8");
  result.tables = {{"Ramp", {"load", "TTFT s"}, {}, FigurePlot{.x = "load", .y = {"TTFT s"}}}};
  for (int i = 0; i <= 10; ++i) result.tables[0].rows.push_back({i, top * i / 10});
  return result;
}

template <class Chart>
void show(Chart& chart, const FigureResult& result) {
  chart.resize(640, 360);
  chart.show();
  chart.show_table(result, 0);
  chart.flush();
  QCoreApplication::processEvents();
}

inline QValueAxis& axis(const ChartPanel& chart, Qt::Orientation orientation) {
  return *qobject_cast<QValueAxis*>(chart.chart().axes(orientation).value(0));
}

inline AxisRanges ranges(const ChartPanel& chart) {
  const QValueAxis &x = axis(chart, Qt::Horizontal), &y = axis(chart, Qt::Vertical);
  return {{x.min(), x.max()}, {y.min(), y.max()}};
}

inline QWidget& canvas(const ChartPanel& chart) { return *chart.findChild<QChartView*>()->viewport(); }

/// A place of the plot: (0, 0) is its lower left corner.
inline QPointF exact_place(const QRectF& area, double x, double y) {
  return {area.left() + x * area.width(), area.bottom() - y * area.height()};
}
/// The pixel there: events are at whole ones.
inline QPointF place(const QRectF& area, double x, double y) { return exact_place(area, x, y).toPoint(); }
inline double x_share(const QRectF& area, const QPointF& at) { return (at.x() - area.left()) / area.width(); }
inline double y_share(const QRectF& area, const QPointF& at) { return (area.bottom() - at.y()) / area.height(); }

/// Whether somebody took it.
inline bool turn(QWidget& widget, const QPointF& at, int steps, Qt::KeyboardModifiers modifiers = {}) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  event.ignore();
  QApplication::sendEvent(&widget, &event);
  return event.isAccepted();
}

inline void mouse(QWidget& widget, QEvent::Type type, const QPointF& at, Qt::MouseButton button,
                  Qt::KeyboardModifiers modifiers = {}) {
  const bool up = type == QEvent::MouseButtonRelease;
  QMouseEvent event(type, at, widget.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : button,
                    up ? Qt::NoButton : Qt::MouseButtons(button), modifiers);
  QApplication::sendEvent(&widget, &event);
}

inline void drag(QWidget& widget, const QPointF& from, const QPointF& to, Qt::MouseButton button,
                 Qt::KeyboardModifiers modifiers = {}) {
  mouse(widget, QEvent::MouseButtonPress, from, button, modifiers);
  mouse(widget, QEvent::MouseMove, (from + to) / 2, button, modifiers);
  mouse(widget, QEvent::MouseMove, to, button, modifiers);
  mouse(widget, QEvent::MouseButtonRelease, to, button, modifiers);
}

inline bool near(double value, double expected, double reach) { return std::abs(value - expected) <= reach; }

inline bool near(const AxisSpan& span, double low, double high) {
  const double reach = 1e-6 * std::max({1.0, std::abs(low), std::abs(high)});
  return near(span.lower, low, reach) && near(span.upper, high, reach);
}

/// What of an axis is between two shares of what it shows.
inline std::pair<double, double> part(const AxisSpan& span, double from, double to) {
  const double wide = span.upper - span.lower;
  return {span.lower + from * wide, span.lower + to * wide};
}

inline QToolButton& button(const QWidget& chart) { return *chart.findChild<QToolButton*>("resetZoom"); }

inline std::uint64_t serve(HitRateModel& rates, int requests) {
  RequestRecord record;
  record.source = "dram";
  record.context_tokens = 100;
  for (int i = 0; i < requests; ++i) rates.request_finished(record, 1);
  return rates.requests();
}

}  // namespace kvantage::chart_hands
