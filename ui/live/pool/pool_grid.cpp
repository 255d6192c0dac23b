#include "ui/live/pool/pool_grid.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/pinned_tip.h"

namespace kvantage {
namespace {

constexpr double margin = 8, box_gap = 6, widest = 150;

}  // namespace

PoolGrid::PoolGrid(QWidget* parent) : QWidget(parent), theme_(theme_of(ThemeKind::light)) {
  setAccessibleName(tr("Blocks of the pool"));
  setToolTip(tr("Hover over a block for its KV entries. Right-click or press the menu key for the table and export."));
  keys_ = new PointKeys(*this, *this, tr("Blocks of a paged KV cache with live, dead and unused KV entries"),
                        [this] { return key_rows(); });
  zoom_ = new ChartZoom(*this, *this, *this, tr("Blocks of the pool"), keys_);
}

QRectF PoolGrid::zoom_area() const {
  return {margin, margin, std::max(1.0, width() - 2 * margin), std::max(1.0, height() - 2 * margin)};
}

QString PoolGrid::shown_text() const {
  const QRectF area = zoom_area();
  int seen = 0;
  for (std::size_t b = 0; b < frame_.blocks.size(); ++b) seen += block_box(b).intersects(area);
  return tr("%1 of %2 blocks").arg(seen).arg(frame_.blocks.size());
}

void PoolGrid::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

void PoolGrid::show_frame(const PoolFrame* frame, const PoolFrame* before) {
  frame_ = frame != nullptr ? *frame : PoolFrame{};
  has_before_ = before != nullptr && before->blocks.size() == frame_.blocks.size();
  before_ = has_before_ ? *before : PoolFrame{};
  if (zoom_->zoomed()) zoom_->sync();  // says how many of the blocks are seen
  update();
}

// As many columns as make blocks about four times as wide as high.
int PoolGrid::columns() const {
  const auto count = std::max<double>(1, static_cast<double>(frame_.blocks.size()));
  const double wide = std::max(1.0, width() - 2 * margin), high = std::max(1.0, height() - 2 * margin);
  const int wanted = static_cast<int>(std::ceil(std::sqrt(count * wide / (high * 3.2))));
  return std::clamp(wanted, std::max(1, static_cast<int>(std::ceil(wide / (widest + box_gap)))),
                    std::max(1, static_cast<int>(count)));
}

QRectF PoolGrid::block_box(std::size_t block) const {
  const int across = columns();
  const int lines = (static_cast<int>(frame_.blocks.size()) + across - 1) / across;
  const double box_width = (width() - 2 * margin) / across,
               box_height = std::min((height() - 2 * margin) / std::max(1, lines), 54.0);
  const int column = static_cast<int>(block) % across, line = static_cast<int>(block) / across;
  const QRectF box(margin + column * box_width, margin + line * box_height, std::max(4.0, box_width - box_gap),
                   std::max(4.0, box_height - box_gap));
  if (shown_ == data_ranges()) return box;
  const QRectF area = zoom_area();
  const double across_by = 1 / (shown_.x.upper - shown_.x.lower), down_by = 1 / (shown_.y.upper - shown_.y.lower);
  const double hidden_left = shown_.x.lower * area.width(), hidden_above = (1 - shown_.y.upper) * area.height();
  return {area.left() + (box.left() - area.left() - hidden_left) * across_by,
          area.top() + (box.top() - area.top() - hidden_above) * down_by, box.width() * across_by,
          box.height() * down_by};
}

QRectF PoolGrid::row_box(std::size_t block, int row) const {
  const QRectF box = block_box(block).adjusted(2, 2, -2, -2);
  const double cell = box.width() / std::max<double>(1, static_cast<double>(frame_.blocks[block].rows.size()));
  return {box.left() + row * cell, box.top(), cell, box.height()};
}

bool PoolGrid::changed(std::size_t block, std::size_t row) const {
  if (!has_before_) return false;
  const PoolBlock &now = frame_.blocks[block], &then = before_.blocks[block];
  return row < then.rows.size() && (now.rows[row] != then.rows[row] || now.positions[row] != then.positions[row]);
}

int PoolGrid::changed_rows() const {
  int count = 0;
  for (std::size_t b = 0; b < frame_.blocks.size(); ++b)
    for (std::size_t r = 0; r < frame_.blocks[b].rows.size(); ++r) count += changed(b, r);
  return count;
}

void PoolGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme_.base);
  const QRectF area = zoom_area().adjusted(-2, -2, 2, 2);  // with the frames of blocks at its edge
  painter.save();
  if (zoom_->zoomed()) painter.setClipRect(area);
  for (std::size_t b = 0; b < frame_.blocks.size(); ++b) {
    const PoolBlock& block = frame_.blocks[b];
    const QRectF box = block_box(b);
    if (!box.intersects(area)) continue;
    if (block.references == 0) {
      painter.setPen(QPen(theme_.border, 1, Qt::DashLine));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box);
      painter.setPen(theme_.muted);
      if (box.width() > 40 && box.height() > fontMetrics().height()) painter.drawText(box, Qt::AlignCenter, tr("free"));
      continue;
    }
    const bool shared = block.references > 1;
    painter.fillRect(box, theme_.alternate);
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const QRectF cell = row_box(b, static_cast<int>(r)).adjusted(0.5, 0.5, -0.5, -0.5);
      if (block.rows[r] == SlotState::live) painter.fillRect(cell, shared ? shared_color(theme_) : live_color(theme_));
      if (block.rows[r] == SlotState::dead) {
        QColor ground = dead_color(theme_);
        ground.setAlphaF(0.25f);
        painter.fillRect(cell, ground);
        painter.fillRect(cell, QBrush(dead_color(theme_), Qt::BDiagPattern));
      }
      if (!changed(b, r)) continue;
      painter.setPen(QPen(theme_.text, 1.4));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter.setPen(QPen(shared ? shared_color(theme_) : theme_.muted, shared ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
  }
  keys_->paint(painter, theme_);
  painter.restore();
  paint_focus(painter, *this, theme_);
}

PointKeys::Rows PoolGrid::key_rows() const {
  PointKeys::Rows rows;
  if (!hover_text_) return rows;
  const auto across = static_cast<std::size_t>(columns());
  for (std::size_t b = 0; b < frame_.blocks.size(); ++b) {
    if (b % across == 0) rows.emplace_back();
    const bool free = frame_.blocks[b].references == 0;
    const int count = free ? 0 : static_cast<int>(frame_.blocks[b].rows.size());
    for (int r = count == 0 ? -1 : 0; r < count; ++r)
      rows.back().push_back({tr("row %1").arg(rows.size()),
                             QStringLiteral("%1/%2").arg(b).arg(r),
                             static_cast<double>(b),
                             r < 0 ? block_box(b) : row_box(b, r),
                             {},
                             [this, b, r] { return hover_text_(b, r); }});
  }
  return rows;
}

QString PoolGrid::tip_at(const QPointF& at) const {
  if (!hover_text_ || !zoom_area().contains(at)) return {};
  for (std::size_t b = 0; b < frame_.blocks.size(); ++b) {
    if (!block_box(b).contains(at)) continue;
    int row = -1;
    for (int r = 0; r < static_cast<int>(frame_.blocks[b].rows.size()); ++r)
      if (row_box(b, r).contains(at)) row = r;
    return hover_text_(b, row);
  }
  return {};
}

bool PoolGrid::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && hover_text_) {
    const auto* help = static_cast<QHelpEvent*>(event);
    PinnedTip::hover(*this, help->globalPos(), tip_at(help->pos()));
    return true;
  }
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (mouse->button() == Qt::LeftButton)
      PinnedTip::click(*this, mouse->globalPosition().toPoint(), tip_at(mouse->position()));
  }
  return QWidget::event(event);
}

}  // namespace kvantage
