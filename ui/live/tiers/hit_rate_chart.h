// Hit rates over requests: the sliding window strong, the rate since the start thin; below, a stroke for each request
// of the chosen context, in the color of what served it. Measured.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>

#include "ui/charts/chart_panel.h"
#include "ui/live/requests/model/requests_model.h"
#include "ui/live/tiers/model/hit_rate_model.h"
#include "ui/session/selection.h"

namespace kvantage {

class HitRateChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit HitRateChart(HitRateModel& model, QWidget* parent = nullptr);
  /// A served request of the chosen context.
  struct Mark {
    double number = 0;  // of all requests served, in the order they began
    QString source;
  };
  /// Marks the requests of the context that is chosen there, the brushed requests, and the moment under the mouse; a
  /// box brushes requests. Both outlive the chart.
  void follow(const RequestsModel& requests, Selection& selection);
  /// As of the last refresh, oldest first; those that the log of requests still lists.
  const std::vector<Mark>& marks() const { return marks_; }
  /// "story-2: dram 3, prefill 1"; empty while none is chosen.
  QString marks_text() const;
  void set_measure(HitRateModel::Measure measure);
  void set_window(int requests);
  int window_requests() const { return window_; }
  ChartTable table() const override;
  const std::map<QString, QLineSeries*>& series() const { return windowed_; }

 protected:
  void refresh() override;
  void shown_changed() override;
  QString empty_text() const override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  PointKeys::Rows key_rows() const override;

 private:
  QLineSeries* series_of(std::map<QString, QLineSeries*>& all, const QString& name);
  void find_marks();
  QString mark_tip(const Mark& mark) const;
  TimeReading time_reading() const;
  /// Of a time, on the axis of requests: beyond the latest as many as there would be at the rate so far.
  double requests_of(double seconds) const;
  void add_legend();
  /// "after 40 requests: dram 50 %, ssd 20 %".
  QString rates_text(std::uint64_t requests) const;
  /// Where a mark stands; null while the axis has no room for it.
  QLineF stroke(const Mark& mark) const;
  HitRateModel& model_;
  const RequestsModel* requests_ = nullptr;
  const Selection* selection_ = nullptr;
  std::vector<double> brushed_;  // numbers of the requests that are, descending
  std::vector<Mark> marks_;
  QString chosen_;
  QValueAxis *request_axis_, *rate_axis_;
  std::map<QString, QLineSeries*> windowed_, cumulative_;
  HitRateModel::Measure measure_ = HitRateModel::by_requests;
  int window_ = 25;
};

}  // namespace kvantage
