// A thin line at one moment in every time chart: the mouse over one of them moves it in all.
#pragma once

#include <QObject>
#include <QPainter>
#include <QPointer>
#include <functional>
#include <optional>

#include "ui/look/theme.h"
#include "ui/session/time_cursor.h"

class QWidget;

namespace kvantage {

/// How values of a chart's horizontal axis are read along the run's clock. Empty: they are seconds of it.
struct TimeAxis {
  std::function<double(double x)> seconds_of = {};
  std::function<double(double seconds)> x_of = {};
  bool in_seconds() const { return !seconds_of || !x_of; }
};

/// How a chart is read along the run's clock.
struct TimeReading {
  /// Where its data is drawn, in the coordinates of the canvas.
  std::function<QRectF()> area;
  /// Of a share of the shown width, 0 to 1, and back; nothing beyond what is known or shown.
  std::function<std::optional<double>(double share)> seconds_at;
  std::function<std::optional<double>(double seconds)> share_at;
  /// What the chart shows then, in one line; empty: nothing.
  std::function<QString(double seconds)> text;
  TimeAxis axis = {};
};

class LinkedCursor : public QObject {
  Q_OBJECT
 public:
  /// `canvas` has the mouse and paints; it outlives this.
  LinkedCursor(QWidget& canvas, TimeCursor& cursor, TimeReading reading);
  /// Over the chart.
  void paint(QPainter& painter, const Theme& theme) const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget& canvas_;
  QPointer<TimeCursor> cursor_;  // null while the window is taken apart
  TimeReading reading_;
};

}  // namespace kvantage
