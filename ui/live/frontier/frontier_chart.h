// The Frontier: mean time to first token (service time, logarithmic) against mean quality. Predicted curves over alpha,
// each with its Pareto envelope, simulated and what-if points, measured points with 95 % intervals, those of other
// runs, targets, and the present point under the user's hand.
#pragma once

#include <QLineSeries>
#include <QPointer>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ui/charts/chart_panel.h"
#include "ui/live/frontier/frontier_axes.h"
#include "ui/live/frontier/frontier_canvas.h"
#include "ui/live/frontier/frontier_keys.h"
#include "ui/live/frontier/frontier_note.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/live/frontier/model/frontier_targets.h"
#include "ui/live/frontier/model/held_run.h"

namespace kvantage {

class FrontierChart : public ChartPanel {
  Q_OBJECT
 public:
  using CurveSeries = std::map<QString, QLineSeries*>;

  explicit FrontierChart(FrontierModel& model, QWidget* parent = nullptr);
  void set_quality_metric(const QString& metric);
  /// What predictions still lack: stands where the curve will be.
  void set_outlook(const QString& outlook);
  /// Points of other runs. Once they are given, earlier runs are among them: the model's own points of those are not
  /// drawn a second time.
  void set_held(std::vector<HeldRun> held);
  /// Shows their lines while they are active, and lets the mouse drag them. They are not used once they are gone.
  void set_targets(FrontierTargets& targets);
  /// Nothing is predicted, simulated or measured: the chart shows a text instead.
  bool is_empty() const;
  ChartTable table() const override;
  /// Predicted series by policy, all plans; points are (log10 of seconds, quality).
  const CurveSeries& series() const { return series_; }
  /// The Pareto envelope of each.
  const CurveSeries& envelopes() const { return envelopes_; }
  /// Where the present marker is painted, in chart coordinates; null when there is none.
  std::optional<QPointF> present_position() const;
  /// Where the keyboard is; nothing before the first arrow key.
  std::optional<FrontierStop> key_stop() const;
  /// What a click on a point pins; hidden until then.
  FrontierNote& note() const { return *note_; }

 signals:
  /// The run of a measured point, or of one of another run, is to be opened. `run`: under which it was recorded; empty:
  /// none.
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
  const MeasuredPoint* shows_answers(const QPointF& at) const;
  std::optional<QPointF> position(const FrontierMean& mean) const;
  FrontierCanvas canvas() const;
  void pin(const MeasuredPoint& point, const QString& text, const QPointF& at);

  FrontierModel& model_;
  QPointer<FrontierTargets> targets_;
  QString outlook_;
  FrontierAxes axes_;
  QLineSeries* anchor_;  // always there, so that coordinates can be mapped
  CurveSeries series_, envelopes_;
  std::vector<MeasuredPoint> measured_;  // as of the last refresh
  std::optional<std::vector<HeldRun>> held_;
  FrontierNote* note_;
  std::pair<int, QString> pinned_;  // epoch and run of the note
  bool was_empty_ = true;
};

}  // namespace kvantage
