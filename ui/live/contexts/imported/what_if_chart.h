// What-if points: quality against TTFT, a line per policy that weighs quality. Its looks say that the curves below it
// are imported: hollow triangles, and the source in every tip.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>

#include "ui/charts/chart_panel.h"
#include "ui/live/contexts/imported/model/what_if_model.h"

namespace kvantage {

class WhatIfChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit WhatIfChart(const WhatIfModel& model, QWidget* parent = nullptr);
  ChartTable table() const override;
  QString empty_text() const override;
  const std::map<QString, QLineSeries*>& series() const { return series_; }

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override { return tip_near(at); }
  PointKeys::Rows key_rows() const override;

 private:
  QPointF place(const WhatIfPoint& point) const;
  QString tip_of(const WhatIfPoint& point) const;

  const WhatIfModel& model_;
  QValueAxis *ttft_axis_, *quality_axis_;
  QLineSeries* anchor_;
  std::map<QString, QLineSeries*> series_;
};

}  // namespace kvantage
