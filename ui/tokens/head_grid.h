// Layers by KV heads, each cell on a ground by the share of tokens that the head keeps. Choosing a cell, a layer, a KV
// head or the corner says what a view beside it is summed over.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/look/theme.h"

namespace kvantage {

class HeadGrid : public QWidget, public Themed {
  Q_OBJECT
 public:
  static constexpr int all = -1;

  explicit HeadGrid(QWidget* parent = nullptr);
  /// Shares from 0 to 1, [layers][kv_heads].
  void set_shares(int layers, int kv_heads, std::vector<double> shares);
  /// `all` for either: the whole row, column or grid is marked.
  void set_chosen(int layer, int kv_head);
  void set_theme(const Theme& theme) override;

  int layers() const { return layers_; }
  int kv_heads() const { return kv_heads_; }
  double share(int layer, int kv_head) const { return shares_[static_cast<std::size_t>(layer * kv_heads_ + kv_head)]; }
  /// `all`: the head of the row, of the column, the corner.
  QRect cell(int layer, int kv_head) const;
  QString tip_at(const QPoint& at) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {sizeHint().width(), 60}; }

 signals:
  void chosen(int layer, int kv_head);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Place {
    int layer = all, kv_head = all;
    bool inside = false;
  };
  Place place_at(const QPoint& at) const;
  void choose(int layer, int kv_head);
  int head_width() const;
  int column_width() const;

  int layers_ = 0, kv_heads_ = 0, layer_ = all, kv_head_ = all;
  std::vector<double> shares_;
  Theme theme_;
};

}  // namespace kvantage
