// The miss ratio of an LRU cache of any size on the requests of the run, simulated; a line at the budget of each tier,
// with those before it, and on it what the tiers up to there really missed, measured.
#pragma once

#include <QCategoryAxis>
#include <QLineSeries>
#include <QValueAxis>
#include <vector>

#include "ui/charts/chart_panel.h"
#include "ui/live/tiers/model/hit_rate_model.h"
#include "ui/live/tiers/model/miss_curve.h"
#include "ui/live/tiers/model/tier_series_model.h"

namespace kvantage {

class MissCurveChart : public ChartPanel {
  Q_OBJECT
 public:
  /// The models outlive the chart.
  MissCurveChart(const ReferenceStream& references, const TierSeriesModel& tiers, HitRateModel& hit_rates,
                 QWidget* parent = nullptr);
  /// Where the fastest tiers together end.
  struct Budget {
    QString tier, tiers;      // the last of them; all: "dram + ssd"
    std::uint64_t bytes = 0;  // of all
    double simulated = 1;     // miss ratio of an LRU cache of as many bytes
    double measured = -1;     // share of requests that none of them served; -1: no request yet
  };
  /// As of the last refresh: up to the first tier without a limit.
  const std::vector<Budget>& budgets() const { return budgets_; }
  const MissCurve& curve() const { return curve_; }
  /// Points in log10 of MiB and in percent.
  const QLineSeries& line() const { return *line_; }
  ChartTable table() const override;
  QString empty_text() const override;

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;

 private:
  void find_budgets();
  void fill_line(double low_bytes, double high_bytes);
  void add_legend();
  void show_sizes(double low_mib, double high_mib);
  QString budget_tip(const Budget& budget) const;
  QPointF place(std::uint64_t bytes, double miss_ratio) const;
  const ReferenceStream& references_;
  const TierSeriesModel& tiers_;
  HitRateModel& hit_rates_;
  MissCurve curve_;
  std::vector<Budget> budgets_;
  QCategoryAxis* size_axis_;
  QValueAxis* ratio_axis_;
  QLineSeries* line_;
};

}  // namespace kvantage
