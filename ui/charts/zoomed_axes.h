// The axes of a Qt chart as a Zoomable: they keep what the chart's refresh() gave them beside what is shown.
#pragma once

#include <QBarCategoryAxis>
#include <QCategoryAxis>
#include <QChart>
#include <QValueAxis>
#include <functional>
#include <optional>

#include "ui/charts/chart_zoom.h"

namespace kvantage {

class ZoomedAxes : public Zoomable {
 public:
  /// An axis of numbers of each orientation is zoomed, or one of names, as those of bars and cells; others stay.
  /// `empty`: there is nothing to see.
  ZoomedAxes(QChart& chart, std::function<bool()> empty) : chart_(chart), empty_(std::move(empty)) {}

  /// The horizontal axis is `axis`, over log10 of a quantity; `label` names its ticks within two values of it.
  void zoom_log_axis(QCategoryAxis& axis, std::function<void(double low, double high)> label);

  /// Unzoomed, the horizontal axis covers these values instead of those that refresh() sets, such as a range of time
  /// that charts share; nothing: as refresh() sets it.
  void limit_x(std::function<std::optional<AxisSpan>()> limits) { limits_ = std::move(limits); }
  /// Called after the axes were set: another part may be shown now.
  void on_shown(std::function<void()> act) { shown_ = std::move(act); }
  /// The end of the horizontal axis as refresh() set it.
  double own_end() const { return x_.high; }

  /// Before the chart's refresh(): the axes are as it left them.
  void restore();
  /// After it: what it has set is the data's range.
  void take();

  AxisRanges data_ranges() const override;
  void show_ranges(const AxisRanges& shown) override;
  QRectF zoom_area() const override { return chart_.plotArea(); }
  AxisChoice zoom_axes() const override;
  std::optional<std::pair<QString, QString>> end_names(Qt::Orientation orientation) const override;

 private:
  /// What refresh() sets, or the chart's constructor.
  struct Kept {
    double low = 0, high = 1, interval = 0;
    int count = 5;
    QValueAxis::TickType type = QValueAxis::TicksFixed;
    QString format;
    bool replaced = false;  // by what is shown now
  };
  QValueAxis* axis_of(Qt::Orientation orientation) const;
  /// Null: it is no axis of names.
  QBarCategoryAxis* places_of(Qt::Orientation orientation) const;
  AxisRanges own_ranges() const;
  void take(Qt::Orientation orientation, Kept& kept) const;
  void restore(Qt::Orientation orientation, Kept& kept) const;
  void show(Qt::Orientation orientation, Kept& kept, const AxisSpan& shown, int max_ticks) const;

  QChart& chart_;
  std::function<bool()> empty_;
  std::function<std::optional<AxisSpan>()> limits_;
  std::function<void()> shown_;
  QCategoryAxis* log_axis_ = nullptr;
  std::function<void(double, double)> label_log_axis_;
  Kept x_, y_;
};

}  // namespace kvantage
