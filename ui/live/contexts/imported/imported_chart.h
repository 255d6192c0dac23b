// Imported quality against removed tokens: a line per method, intervals where they are given, and the uncompressed
// quality. Its looks say that nothing of it was measured here: hollow triangles, and the source in every tip.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>

#include "ui/charts/chart_panel.h"
#include "ui/live/contexts/imported/model/imported_curves.h"

namespace kvantage {

class ImportedChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit ImportedChart(const ImportedCurves& model, QWidget* parent = nullptr);
  ChartTable table() const override;
  QString empty_text() const override;
  const std::map<QString, QLineSeries*>& series() const { return series_; }

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;

 private:
  QPointF place(const ImportedPoint& point, double quality) const;
  QString tip_of(const ImportedPoint& point) const;

  const ImportedCurves& model_;
  QValueAxis *x_axis_, *quality_axis_;
  QLineSeries* anchor_;
  std::map<QString, QLineSeries*> series_;
  std::vector<ImportedCurves::Curve> curves_;
};

}  // namespace kvantage
