// Distribution of sensitivity over contexts, one step curve per family (EvicPress figure 3). Measured: from profiles.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>

#include "ui/charts/chart_panel.h"
#include "ui/models/sensitivity_model.h"

namespace kvantage {

class CdfChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit CdfChart(SensitivityModel& model, QWidget* parent = nullptr);
  /// The chosen family's line stands out; empty: none does.
  void set_family(const QString& family);
  ChartTable table() const override;
  const std::map<QString, QLineSeries*>& series() const { return series_; }

 protected:
  void refresh() override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;
  /// Chooses the context.
  void entered(const PointStop& stop) override;
  QString empty_text() const override;

 private:
  SensitivityModel& model_;
  QString family_;
  QValueAxis *drop_axis_, *share_axis_;
  std::map<QString, QLineSeries*> series_;
  std::vector<SensitivityModel::FamilyDistribution> shown_;
};

}  // namespace kvantage
