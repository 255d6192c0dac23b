// Blocks of a pool as boxes with a cell for each row: live, dead, never written; free blocks empty, blocks of several
// tables framed. What changed since the moment before has a mark.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "core/ports/pool_walk.h"
#include "ui/charts/chart_zoom.h"
#include "ui/look/theme.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

class PoolGrid : public QWidget, public Themed, private Zoomable {
  Q_OBJECT
 public:
  explicit PoolGrid(QWidget* parent = nullptr);
  /// before: null, or the moment that changes are marked against.
  void show_frame(const PoolFrame* frame, const PoolFrame* before);
  void set_hover_text(std::function<QString(std::size_t block, int row)> text) { hover_text_ = std::move(text); }
  void set_theme(const Theme& theme) override;
  static QColor live_color(const Theme& theme) { return theme.accent; }
  static QColor shared_color(const Theme& theme) { return theme.good; }
  static QColor dead_color(const Theme& theme) { return theme.error; }

  /// As shown now, also where it is out of sight.
  QRectF block_box(std::size_t block) const;
  QRectF row_box(std::size_t block, int row) const;
  /// Rows that are not what they were at the moment before.
  int changed_rows() const;
  PointKeys& keys() const { return *keys_; }
  /// Of shares of all blocks as they are laid out unzoomed.
  ChartZoom& zoom() const { return *zoom_; }
  QSize minimumSizeHint() const override { return {160, 90}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  AxisRanges data_ranges() const override { return {}; }
  void show_ranges(const AxisRanges& shown) override { shown_ = shown; }
  QRectF zoom_area() const override;
  AxisChoice zoom_axes() const override { return {!frame_.blocks.empty(), !frame_.blocks.empty()}; }
  QString shown_text() const override;

  int columns() const;
  /// Of the KV entry or block there; empty: none.
  QString tip_at(const QPointF& at) const;
  /// A line of blocks each, a stop for each row of a block that is held and for each block that is free.
  PointKeys::Rows key_rows() const;
  bool changed(std::size_t block, std::size_t row) const;

  PoolFrame frame_, before_;
  bool has_before_ = false;
  std::function<QString(std::size_t, int)> hover_text_;
  Theme theme_;
  AxisRanges shown_;
  PointKeys* keys_;
  ChartZoom* zoom_;
};

}  // namespace kvantage
