// Distribution of sensitivity over contexts, one step curve per family (EvicPress figure 3). Measured: from profiles.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>
#include <optional>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_panel.h"
#include "ui/live/contexts/model/sensitivity_model.h"

namespace kvantage {

class CdfChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit CdfChart(SensitivityModel& model, QWidget* parent = nullptr);
  /// The chosen family's line stands out; empty: none does.
  void set_family(const QString& family);
  ChartTable table() const override;
  const std::map<QString, QLineSeries*>& series() const { return series_; }
  /// Where the chosen context stands on its family's line, (drop, share); nothing where none is chosen or it has no
  /// drop here.
  std::optional<QPointF> chosen() const { return chosen_; }
  /// "story-2: drop 0.310"; empty while none is chosen.
  QString chosen_text() const;
  /// Its ids are contexts.
  ChartBrush& brush() const { return *brush_; }

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;
  /// Chooses the context.
  void entered(const PointStop& stop) override;
  QString empty_text() const override;

 private:
  void find_chosen();
  SensitivityModel& model_;
  QString family_;
  QValueAxis *drop_axis_, *share_axis_;
  std::map<QString, QLineSeries*> series_;
  std::vector<SensitivityModel::FamilyDistribution> shown_;
  std::optional<QPointF> chosen_;  // as of the last refresh
  QString chosen_family_;
  ChartBrush* brush_;
};

}  // namespace kvantage
