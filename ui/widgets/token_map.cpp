#include "ui/widgets/token_map.h"

#include <QHash>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace kvantage {
namespace {

constexpr int margin = 8;

}  // namespace

TokenMap::TokenMap(QWidget* parent) : QAbstractScrollArea(parent), theme_(theme_of(ThemeKind::light)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // its coming and going would change the width
  setMinimumSize(120, 60);
  viewport()->setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
}

void TokenMap::set_theme(const Theme& theme) {
  theme_ = theme;
  viewport()->update();
}

QColor TokenMap::ground(const Theme& theme, float weight) {
  QColor colour = theme.accent;
  colour.setAlphaF(std::clamp(weight, 0.0f, 1.0f) * (theme.kind == ThemeKind::dark ? 0.72f : 0.55f));
  return colour;
}

void TokenMap::set_tokens(const std::vector<QString>& tokens) {
  texts_ = tokens;
  weights_.assign(tokens.size(), 0);
  hovered_ = -1;
  measure();
  lay_out();
  verticalScrollBar()->setValue(0);
}

void TokenMap::set_weights(const std::vector<float>& weights) {
  weights_ = weights;
  weights_.resize(texts_.size(), 0);
  viewport()->update();
}

// Writing is measured once a word and font; a text of ten thousand tokens has some thousand words, and a hand that resizes the
// view lays it out many times a second.
void TokenMap::measure() {
  const QFontMetrics metrics = fontMetrics();
  QHash<QString, int> known;
  widths_.assign(texts_.size(), 0);
  for (std::size_t t = 0; t < texts_.size(); ++t) {
    const auto found = known.constFind(texts_[t]);
    if (found != known.cend()) {
      widths_[t] = *found;
      continue;
    }
    QString text = texts_[t];
    text.remove('\n').remove('\r').replace('\t', QStringLiteral("  "));
    widths_[t] = known[texts_[t]] = text.isEmpty() ? 0 : metrics.horizontalAdvance(text);
  }
}

void TokenMap::lay_out() {
  ++layouts_;
  laid_out_width_ = viewport()->width();
  const int right = std::max(laid_out_width_ - margin, margin + 40), height = line_height();
  const QFontMetrics metrics = fontMetrics();
  boxes_.assign(texts_.size(), {});
  int x = margin, y = margin;
  for (std::size_t t = 0; t < texts_.size(); ++t) {
    const qsizetype breaks = texts_[t].count('\n');
    Box& box = boxes_[t];
    if (widths_[t] > 0) {
      box.width = std::min(widths_[t], right - margin);
      if (x > margin && x + box.width > right) {
        x = margin;
        y += height;
      }
      box.shown = true;
    } else if (breaks > 0) {  // a mark at the end of its line, so that it can be seen and pointed at
      box.width = metrics.horizontalAdvance(QStringLiteral("↵"));
      box.shown = true;
    }
    box.x = x;
    box.y = y;
    x += box.width;
    if (breaks > 0) {
      x = margin;
      y += height;
    }
  }
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(height);
  verticalScrollBar()->setRange(0, std::max(0, y + height + margin - viewport()->height()));
  viewport()->update();
}

QRect TokenMap::box(std::size_t token) const {
  const Box& box = boxes_[token];
  return box.shown ? QRect(box.x, box.y - verticalScrollBar()->value(), box.width, line_height() - 2) : QRect();
}

int TokenMap::token_at(const QPoint& at) const {
  const int y = at.y() + verticalScrollBar()->value();
  auto found = std::ranges::lower_bound(boxes_, y - line_height() + 1, {}, &Box::y);
  for (; found != boxes_.end() && found->y <= y; ++found)
    if (found->shown && at.x() >= found->x && at.x() < found->x + found->width) return static_cast<int>(found - boxes_.begin());
  return -1;
}

void TokenMap::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  if (viewport()->width() != laid_out_width_) return lay_out();
  const int end = boxes_.empty() ? 0 : boxes_.back().y + line_height() + margin;
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setRange(0, std::max(0, end - viewport()->height()));
}

void TokenMap::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  measure();
  lay_out();
}

void TokenMap::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme_.base);
  painter.setFont(font());
  const int top = verticalScrollBar()->value(), height = line_height();
  const int ascent = fontMetrics().ascent() + 1;
  auto first = std::ranges::lower_bound(boxes_, top - height, {}, &Box::y);
  for (; first != boxes_.end() && first->y < top + viewport()->height(); ++first) {
    if (!first->shown) continue;
    const auto t = static_cast<std::size_t>(first - boxes_.begin());
    const QRect area(first->x, first->y - top, first->width, height - 2);
    const bool dropped = weights_[t] <= 0;
    if (!dropped) painter.fillRect(area, ground(theme_, weights_[t]));
    QString text = texts_[t];
    text.remove('\r').replace('\t', QStringLiteral("  "));
    const bool mark = text.count('\n') == text.size();
    text = mark ? QStringLiteral("↵") : text.remove('\n');
    painter.setPen(dropped || mark ? theme_.faint : theme_.text);
    painter.drawText(QPoint(area.left(), area.top() + ascent), text);
    if (dropped && !mark) painter.drawLine(area.left(), area.center().y() + 1, area.right(), area.center().y() + 1);
    if (static_cast<int>(t) == hovered_) {
      painter.setPen(theme_.text);
      painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
  }
}

void TokenMap::mouseMoveEvent(QMouseEvent* event) {
  const int token = token_at(event->pos());
  if (std::exchange(hovered_, token) == token) return;
  viewport()->update();
  emit hovered(token);
}

void TokenMap::leaveEvent(QEvent* event) {
  QAbstractScrollArea::leaveEvent(event);
  if (std::exchange(hovered_, -1) < 0) return;
  viewport()->update();
  emit hovered(-1);
}

bool TokenMap::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int token = token_at(help->pos());
  if (token < 0 || !hover_text_)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), hover_text_(static_cast<std::size_t>(token)), viewport(), box(static_cast<std::size_t>(token)));
  return true;
}

}  // namespace kvantage
