// Loads of one tier, bytes against milliseconds, with the line of its cost model: achieved beside fitted.
#pragma once

#include <QLineSeries>
#include <QScatterSeries>
#include <QValueAxis>
#include <optional>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_panel.h"
#include "ui/live/requests/model/requests_model.h"
#include "ui/live/tiers/model/tier_reports_model.h"

namespace kvantage {

class TierFitChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit TierFitChart(TierReportsModel& model, QWidget* parent = nullptr);
  void set_tier(const QString& tier);
  const QString& tier() const { return tier_; }
  ChartTable table() const override;
  const QScatterSeries& loads() const { return *loads_; }
  const QScatterSeries& timings() const { return *timings_; }
  const QLineSeries& line() const { return *line_; }
  /// Which context a load was of is found among these; they outlive the chart.
  void follow(const RequestsModel& requests) { requests_ = &requests; }
  /// The chosen context and what is stored of it now; `tier` empty: nothing is.
  struct Chosen {
    QString context, tier;
    double stored_bytes = 0;
    bool operator==(const Chosen&) const = default;
  };
  void set_chosen(const Chosen& chosen);
  /// Its loads from this tier, (MiB, milliseconds), the newest first, as of the last refresh.
  const std::vector<QPointF>& chosen_loads() const { return chosen_loads_; }
  /// Its place on the fit, if it is on this tier: what a load of it now should take.
  std::optional<QPointF> chosen_place() const { return chosen_place_; }
  /// "story-2: here, 4.2 MiB; loaded 3 times"; empty while none is chosen.
  QString chosen_text() const;
  QString empty_text() const override;
  /// Its ids are contexts: those whose loads are in the box and still listed.
  ChartBrush& brush() const { return *brush_; }

 signals:
  void contextPicked(const QString& context);

 protected:
  void refresh() override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;
  /// Chooses the context that a load was of.
  void entered(const PointStop& stop) override;
  void paint_over(QPainter& painter) override;

 private:
  QString tip_of(const FittedLoad& load) const;
  void find_chosen();
  /// Empty where the log of requests does not list it any more.
  QString context_of(double bytes, double seconds) const;
  QString context_at(const PointStop& stop) const;
  TierReportsModel& model_;
  const RequestsModel* requests_ = nullptr;
  Chosen chosen_;
  std::vector<QPointF> chosen_loads_;
  std::optional<QPointF> chosen_place_;
  QString tier_;
  QValueAxis *bytes_axis_, *time_axis_;
  QScatterSeries *loads_, *timings_;
  QLineSeries* line_;
  ChartBrush* brush_;
};

}  // namespace kvantage
