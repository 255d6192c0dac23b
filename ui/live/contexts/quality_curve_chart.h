// One context: quality against removed tokens or kept bytes, a line per method with its 95 % band, and the policy's
// present choice. Measured: from the context's profile. The mouse over it marks the context in every view, a click
// chooses it.
#pragma once

#include <QLineSeries>
#include <QValueAxis>
#include <map>

#include "ui/charts/chart_panel.h"
#include "ui/live/contexts/model/sensitivity_model.h"

namespace kvantage {

class QualityCurveChart : public ChartPanel {
  Q_OBJECT
 public:
  explicit QualityCurveChart(SensitivityModel& model, QWidget* parent = nullptr);
  /// Horizontal axis: removed tokens, or bytes of the stored entry.
  void set_by_bytes(bool by_bytes);
  ChartTable table() const override;
  const std::map<QString, QLineSeries*>& series() const { return series_; }

 protected:
  void refresh() override;
  void paint_over(QPainter& painter) override;
  QString tip_at(const QPointF& at) const override;
  /// Chooses the context, and on a point its method and removed fraction.
  void clicked_at(const QPointF& at) override;
  PointKeys::Rows key_rows() const override;
  void entered(const PointStop& stop) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  QString empty_text() const override;

 private:
  struct Hit {
    const SensitivityModel::MethodCurve* curve = nullptr;
    const SensitivityModel::CurvePoint* point = nullptr;
  };
  Hit hit(const QPointF& at) const;
  QString tip_of(const SensitivityModel::MethodCurve& curve, const SensitivityModel::CurvePoint& point) const;
  double x_of(const SensitivityModel::CurvePoint& point) const;
  QPointF place(const SensitivityModel::CurvePoint& point, double quality) const;

  SensitivityModel& model_;
  QValueAxis *x_axis_, *quality_axis_;
  QLineSeries* anchor_;
  std::map<QString, QLineSeries*> series_;
  std::vector<SensitivityModel::MethodCurve> curves_;
  SensitivityModel::Baselines baselines_;
  bool by_bytes_ = false;
};

}  // namespace kvantage
