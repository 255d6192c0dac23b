#include "ui/widgets/legend_strip.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/look/pictured.h"
#include "ui/widgets/accessible_role.h"

namespace kvantage {
namespace {

constexpr int sign_width = 20, gap = 5, spacing = 13;

/// Strokes take a gap of their line: beside them dashes need more of it.
int sign_room(const LegendItem& item) {
  return item.strokes != 0 && !item.dashes.isEmpty() ? 2 * sign_width : sign_width;
}

int text_offset(const LegendItem& item) { return item.sign == LegendItem::Sign::in_text ? 0 : sign_room(item) + gap; }

QPen line_pen(const LegendItem& item, const QColor& color) {
  const bool dashed = !item.dashes.isEmpty();
  QPen pen(color, item.sign == LegendItem::Sign::thin_line ? 1.3 : dashed ? 1.8 : 2.4);
  if (dashed) {  // a flat cap, or its dots would run together
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern(item.dashes);
  }
  return pen;
}

}  // namespace

LegendStrip::LegendStrip(QWidget* parent) : QWidget(parent), theme_(theme_of(ThemeKind::light)) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  take_font();
  setAccessibleName(tr("Legend"));
  set_accessible_role(*this, QAccessible::Grouping);
  setToolTip(tr("Legend; click an entry to hide or show its series"));
}

void LegendStrip::set_items(std::vector<LegendItem> items) {
  if (items == items_) return;
  const int height_before = items_.empty() ? -1 : heightForWidth(width());
  items_ = std::move(items);
  bool switchable = false;
  QStringList names;
  for (const LegendItem& item : items_) {
    switchable = switchable || !item.id.isEmpty();
    names << item.text;
  }
  setFocusPolicy(switchable ? Qt::TabFocus : Qt::NoFocus);
  setAccessibleDescription(names.join(", "));
  if (heightForWidth(width()) != height_before) updateGeometry();  // lays out the whole window again
  update();
}

void LegendStrip::set_theme(const Theme& theme) {
  take_font();  // a new style sheet gives back the one of before
  theme_ = theme;
  update();
}

int LegendStrip::row_height() const { return fontMetrics().height() + 5; }

std::vector<QRect> LegendStrip::layout_items(int width) const {
  std::vector<QRect> rects;
  int x = 0, y = 0;
  for (const LegendItem& item : items_) {
    const int whole = text_offset(item) + fontMetrics().horizontalAdvance(item.text);
    const int needed = std::min(whole, std::max(width, text_offset(item)));
    if (x > 0 && x + needed > width) {
      x = 0;
      y += row_height();
    }
    rects.emplace_back(x, y, needed, row_height());
    x += needed + spacing;
  }
  return rects;
}

QString LegendStrip::painted_text(std::size_t item) const { return text_in(layout_items(width())[item], item); }

QString LegendStrip::text_in(const QRect& rect, std::size_t item) const {
  const int room = rect.width() - text_offset(items_[item]);
  const QString& text = items_[item].text;
  // elidedText() shortens a text that fits exactly.
  return fontMetrics().horizontalAdvance(text) <= room ? text : fontMetrics().elidedText(text, Qt::ElideRight, room);
}

int LegendStrip::heightForWidth(int width) const {
  const auto rects = layout_items(std::max(width, 1));
  return rects.empty() ? 0 : rects.back().bottom() + 1;
}

QSize LegendStrip::sizeHint() const {
  const int width = std::max(200, this->width());
  return {width, heightForWidth(width)};
}

void LegendStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto rects = layout_items(width());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const LegendItem& item = items_[i];
    const QRect& rect = rects[i];
    QColor color = item.color;
    const QColor text = item.hidden ? theme_.muted : theme_.text;
    if (item.hidden) {
      color = theme_.faint;
      color.setAlphaF(0.5f);
    }
    const int room = sign_room(item);
    const QPointF middle(rect.left() + room / 2.0, rect.center().y() + 0.5);
    const QLineF line(rect.left() + 1, middle.y(), rect.left() + room - 1, middle.y());
    switch (item.sign) {
      case LegendItem::Sign::line:
      case LegendItem::Sign::thin_line:
        painter.setPen(line_pen(item, color));
        if (item.strokes == 0) {
          painter.drawLine(line);
        } else {  // they have a gap of the line
          painter.drawLine(QLineF(line.p1(), middle - QPointF(6, 0)));
          painter.drawLine(QLineF(middle + QPointF(6, 0), line.p2()));
          draw_strokes(painter, middle, item.strokes, color, 4);
        }
        break;
      case LegendItem::Sign::dashed_line: {
        QPen pen(color, 1.8);
        pen.setDashPattern({3, 2.2});
        painter.setPen(pen);
        painter.drawLine(line);
        break;
      }
      case LegendItem::Sign::band: {
        QColor fill = color;
        fill.setAlphaF(0.25f);
        painter.fillRect(QRectF(rect.left() + 1, middle.y() - 5, sign_width - 2, 10), fill);
        break;
      }
      case LegendItem::Sign::swatch:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(rect.left() + 4, middle.y() - 5, 11, 10), 2, 2);
        break;
      case LegendItem::Sign::hatched: {
        const QRectF box(rect.left() + 4, middle.y() - 5, 11, 10);
        QColor thin = color;
        thin.setAlphaF(color.alphaF() * 0.25f);
        painter.fillRect(box, thin);
        painter.fillRect(box, QBrush(color, item.pattern));
        break;
      }
      case LegendItem::Sign::marker:
        draw_marker(painter, middle, item.look, color, theme_.base, 4.5, true, item.strokes);
        break;
      case LegendItem::Sign::in_text:
        break;
    }
    painter.setPen(text);
    painter.drawText(rect.adjusted(text_offset(item), 0, 2, 0), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                     text_in(rect, i));
    if (shows_focus(*this) && static_cast<int>(i) == focused_) {
      painter.setPen(QPen(theme_.accent, 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(QRectF(rect).adjusted(-1.5, 1.5, 2.5, -1.5), 3, 3);
    }
  }
}

int LegendStrip::item_at(const QPoint& at) const {
  const auto rects = layout_items(width());
  for (std::size_t i = 0; i < rects.size(); ++i)
    if (rects[i].contains(at)) return static_cast<int>(i);
  return -1;
}

void LegendStrip::toggle(int index) {
  if (index < 0 || index >= static_cast<int>(items_.size())) return;
  LegendItem& item = items_[static_cast<std::size_t>(index)];
  if (item.id.isEmpty()) return;
  item.hidden = !item.hidden;
  update();
  emit toggled(item.id, item.hidden);
}

void LegendStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton)
    toggle(item_at(event->position().toPoint()));
  else
    QWidget::mousePressEvent(event);
}

void LegendStrip::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(items_.size());
  if (count == 0) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Right:
      focused_ = (focused_ + 1) % count;
      break;
    case Qt::Key_Left:
      focused_ = (focused_ + count - 1) % count;
      break;
    case Qt::Key_Space:
    case Qt::Key_Return:
      toggle(focused_);
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  update();
}

void LegendStrip::take_font() {
  QFont small = QApplication::font();
  small.setPointSizeF(small.pointSizeF() * 0.9);
  if (font().pointSizeF() == small.pointSizeF() && font().family() == small.family()) return;
  setFont(small);
  updateGeometry();
}

bool LegendStrip::event(QEvent* event) {
  if (event->type() == QEvent::ApplicationFontChange) take_font();  // a font of its own does not follow by itself
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = item_at(help->pos());
    if (index < 0) {
      QToolTip::hideText();
    } else {
      const LegendItem& item = items_[static_cast<std::size_t>(index)];
      QString tip = item.tip.isEmpty() ? item.text : item.tip;
      if (!item.tip.isEmpty() && painted_text(static_cast<std::size_t>(index)) != item.text)
        tip = item.text + '\n' + tip;
      if (!item.id.isEmpty()) tip += '\n' + (item.hidden ? tr("Click to show") : tr("Click to hide"));
      QToolTip::showText(help->globalPos(), tip, this);
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace kvantage
