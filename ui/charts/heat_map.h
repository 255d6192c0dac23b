// Sensitivity of every context at every removed fraction, painted by hand; the most sensitive context on top. A ring
// marks the present placement. Rows scroll; zoomed out, rows below two pixels are painted as the most sensitive of
// several. Measured: from profiles.
#pragma once

#include <QAbstractScrollArea>

#include "ui/charts/chart_brush.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/chart_zoom.h"
#include "ui/live/contexts/model/sensitivity_model.h"
#include "ui/look/theme.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

class HeatMap : public QAbstractScrollArea, public Themed, private Zoomable {
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
  /// Columns and the height of rows.
  ChartZoom& zoom() const { return *zoom_; }
  /// In the coordinates of the viewport, also where it is out of sight.
  QRectF cell(int row, int column) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  // Horizontally columns, vertically rows below the top one: row r is from -r down to -(r + 1).
  AxisRanges data_ranges() const override;
  void show_ranges(const AxisRanges& shown) override;
  QRectF zoom_area() const override;
  AxisChoice zoom_axes() const override;
  double y_page() const override;
  QString shown_text() const override;

  /// Unzoomed.
  int row_height() const { return fontMetrics().height() + 3; }
  int header_height() const { return fontMetrics().height() * 2 + 12; }
  int label_width() const;
  void measure_labels();
  /// Also beyond the first and the last row, at a height of the viewport.
  int row_at(double y) const;
  double row_pixels() const;
  void paint_rows(QPainter& painter) const;
  void paint_header(QPainter& painter) const;
  void place_scroll_bar();
  void scroll_to(double first_row);
  void bring_chosen_into_view();
  void bring_into_view(int row);
  QString cell_tip(const SensitivityModel::HeatRow& row, int column) const;
  PointKeys::Rows key_rows() const;

  SensitivityModel& model_;
  Theme theme_;
  std::vector<SensitivityModel::HeatRow> rows_;
  int widest_label_ = 60;  // of the names in rows_, in this font
  QString brought_;        // the chosen context that was brought into view last
  AxisRanges shown_;
  bool placing_ = false;  // the scroll bar follows what is shown, and not the other way round
  LazyRefresh* lazy_ = nullptr;
  PointKeys* keys_ = nullptr;
  ChartZoom* zoom_ = nullptr;
  ChartBrush* brush_ = nullptr;
};

}  // namespace kvantage
