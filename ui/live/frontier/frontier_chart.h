// The Frontier: mean time to first token (service time, logarithmic) against mean quality. Predicted curves over alpha,
// simulated and what-if points, measured points with 95 % intervals, and the present point under the user's hand.
#pragma once

#include <QCategoryAxis>
#include <QLineSeries>
#include <QValueAxis>
#include <map>
#include <set>

#include "ui/charts/chart_panel.h"
#include "ui/live/frontier/frontier_canvas.h"
#include "ui/live/frontier/frontier_keys.h"
#include "ui/live/frontier/model/frontier_model.h"

namespace kvantage {

class FrontierChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit FrontierChart(FrontierModel& model, QWidget* parent = nullptr);
  void set_quality_metric(const QString& metric);
  /// What predictions still lack: stands where the curve will be.
  void set_outlook(const QString& outlook);
  /// Nothing is predicted, simulated or measured: the chart shows a text instead.
  bool is_empty() const;
  ChartTable table() const override;
  /// Predicted series by policy; points are (log10 of seconds, quality).
  const std::map<QString, QLineSeries*>& series() const { return series_; }
  /// Where the present marker is painted, in chart coordinates; null when there is none.
  std::optional<QPointF> present_position() const;
  /// Where the keyboard is; nothing before the first arrow key.
  std::optional<FrontierStop> key_stop() const;

 signals:
  /// `run`: under which it was recorded; empty: none.
  void measuredPointClicked(int epoch, const QString& run);
  /// The present policy's curve was clicked there.
  void alphaPicked(double alpha);
  /// What is_empty() says has changed with the last refresh.
  void emptyChanged();

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  void clicked_at(const QPointF& at) override;
  QString empty_text() const override;
  PointKeys::Rows key_rows() const override;
  void entered(const PointStop& stop) override;

 private:
  std::optional<QPointF> position(const FrontierMean& mean) const;
  void fit_axes();
  void fill_legend();
  void toggled_in_legend(const QString& id, bool is_hidden);
  void name_axes();
  void name_times();
  /// Ticks of the axis of times between two times, in seconds.
  void name_times(double low, double high);
  int width_hint_ticks() const;
  int max_ticks_ = 0;  // of the axis of times, as it stands
  bool hidden(const QString& policy) const;
  FrontierCanvas canvas() const;

  FrontierModel& model_;
  std::set<QString> foldable_;  // hidden from the start: their names take room in the legend on request only
  bool unfolded_ = false;
  QString metric_, outlook_;
  QCategoryAxis* ttft_axis_;
  QValueAxis* quality_axis_;
  QLineSeries* anchor_;  // always there, so that coordinates can be mapped
  std::map<QString, QLineSeries*> series_;
  std::vector<MeasuredPoint> measured_;  // as of the last refresh
  QRectF range_;                         // log10 seconds by quality, as shown
  bool was_empty_ = true;
};

}  // namespace kvantage
