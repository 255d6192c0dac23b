// The utility of each way to keep the chosen context, one bar each: what quality earns to the right, what TTFT costs to
// the left, and what other contexts lose or gain by it; a ring at the sum. Under a formula, its value is one part.
// Predicted.
#pragma once

#include <QValueAxis>
#include <array>
#include <optional>
#include <vector>

#include "ui/charts/chart_panel.h"
#include "ui/live/decisions/model/decision_model.h"

namespace kvantage {

class UtilityBars : public ChartPanel {
  Q_OBJECT
 public:
  struct Bar {
    QString id, name;  // configuration_id, configuration_name
    UtilitySplit split;
  };
  enum Part { quality, ttft, displacement, part_count };
  /// In s, or in the unit of a formula; equal where there is nothing to see.
  struct Segment {
    double from = 0, to = 0;
  };

  explicit UtilityBars(const DecisionModel& model, QWidget* parent = nullptr);
  /// As of the last refresh, from above; highest net utility first.
  const std::vector<Bar>& bars() const { return bars_; }
  static std::array<Segment, part_count> segments(const UtilitySplit& split);
  /// With its name above it, in the chart's coordinates.
  QRectF box(std::size_t bar) const;
  QString tip_of(std::size_t bar) const;
  /// For all bars with their names, in pixels.
  int wanted_height() const;
  /// The bar with this id is framed; empty: none.
  void set_marked(const QString& id);
  const QString& marked() const { return marked_; }
  ChartTable table() const override;
  QString empty_text() const override;

 signals:
  /// A bar was clicked, or Enter pressed on it.
  void picked(const QString& id);

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  void clicked_at(const QPointF& at) override;
  PointKeys::Rows key_rows() const override;
  void entered(const PointStop& stop) override { emit picked(stop.id); }

 private:
  double x_of(double value) const;
  std::optional<std::size_t> bar_at(const QPointF& at) const;
  QColor color_of(Part part) const;
  bool by_formula() const { return !bars_.empty() && bars_.front().split.formula_term.has_value(); }
  /// "%1 s", or the number alone where it is a formula's.
  QString with_unit(double value, bool with_sign) const;
  void set_legend();
  void paint_bar(QPainter& painter, std::size_t bar) const;
  void paint_name(QPainter& painter, std::size_t bar, const QRectF& line) const;

  const DecisionModel& model_;
  QValueAxis* axis_;
  std::vector<Bar> bars_;
  QString marked_;
};

}  // namespace kvantage
