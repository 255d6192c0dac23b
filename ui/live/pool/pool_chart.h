// The session's pool over time: one of its gauges as lines, compaction passes as ticks along the bottom. Measured.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <vector>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_panel.h"
#include "ui/live/pool/model/session_pool_model.h"

namespace kvantage {

/// One line of the chart; `value`: in the unit of its gauge, NaN where a sample has none.
struct PoolLine {
  QString name, tip;
  double (*value)(const PoolReport& pool);
};

/// What the chart can show.
struct PoolGauge {
  QString id, name, axis;
  std::vector<PoolLine> lines;
  bool whole = true;     // values are counts
  double least_top = 1;  // of the axis of values
};
const std::vector<PoolGauge>& pool_chart_gauges();

class PoolChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit PoolChart(const SessionPoolModel& model, QWidget* parent = nullptr);
  void set_gauge(int index);
  /// Marks the moment under the mouse on any time chart.
  void follow_time(TimeCursor& cursor);
  const PoolGauge& gauge() const { return pool_chart_gauges()[static_cast<std::size_t>(gauge_)]; }
  /// Of the shown gauge's lines, as of the last refresh; further ones are empty. A value holds until the next sample,
  /// so each change is two points.
  const std::vector<QLineSeries*>& series() const { return series_; }
  /// Shows the newest sample in the legend; refresh() does so as well.
  void update_legend();
  ChartTable table() const override;
  QString empty_text() const override;
  /// Its ids are requests: those of the compaction passes in the box.
  ChartBrush& brush() const { return *brush_; }

 signals:
  void legendUpdated();
  /// A compaction pass was clicked.
  void passPicked(quint64 request, const QString& context);

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;
  void entered(const PointStop& stop) override;

 private:
  /// Null while the axis does not reach it.
  QLineF stroke(const SessionPoolModel::Pass& pass) const;
  /// Of a line of the gauge; samples without a value are left out.
  QList<QPointF> sampled(const PoolLine& line) const;
  const SessionPoolModel& model_;
  QValueAxis *time_axis_, *value_axis_;
  std::vector<QLineSeries*> series_;
  std::vector<QList<QPointF>> drawn_;  // the samples of each line, as of the last refresh
  int gauge_ = 0;
  ChartBrush* brush_;
};

/// "request 7 on story-2 after 32 tokens: 3 blocks freed, 40 KV entries moved in 0.2 ms".
QString pass_text(const SessionPoolModel::Pass& pass);

}  // namespace kvantage
