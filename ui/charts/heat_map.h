// Sensitivity of every context at every removed fraction, painted by hand; the most sensitive context on top. A ring
// marks the present placement. Measured: from profiles.
#pragma once

#include <QAbstractScrollArea>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_table.h"
#include "ui/live/contexts/model/sensitivity_model.h"
#include "ui/look/theme.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

class HeatMap : public QAbstractScrollArea, public Themed {
  Q_OBJECT
 public:
  explicit HeatMap(SensitivityModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  ChartTable table() const;
  int row_count() const { return static_cast<int>(rows_.size()); }
  void flush() { lazy_->flush(); }
  PointKeys& keys() const { return *keys_; }
  /// Its ids are contexts: a cell selects its row.
  ChartBrush& brush() const { return *brush_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  int row_height() const { return fontMetrics().height() + 3; }
  int header_height() const { return fontMetrics().height() * 2 + 12; }
  int label_width() const;
  void measure_labels();
  QRectF cell(int row, int column) const;
  void update_scroll();
  void bring_chosen_into_view();
  void bring_into_view(int row);
  QString cell_tip(const SensitivityModel::HeatRow& row, int column) const;
  PointKeys::Rows key_rows() const;

  SensitivityModel& model_;
  Theme theme_;
  std::vector<SensitivityModel::HeatRow> rows_;
  int widest_label_ = 60;  // of the names in rows_, in this font
  QString brought_;        // the chosen context that was brought into view last
  LazyRefresh* lazy_;
  PointKeys* keys_;
  ChartBrush* brush_;
};

}  // namespace kvantage
