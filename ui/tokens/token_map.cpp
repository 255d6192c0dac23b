#include "ui/tokens/token_map.h"

#include <QHash>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "ui/charts/pinned_tip.h"
#include "ui/look/pictured.h"
#include "ui/widgets/accessible_role.h"

namespace kvantage {
namespace {

constexpr int map_margin = 8;
QString what_keys_do() { return TokenMap::tr("Arrow keys move between tokens; Enter shows all of one"); }

}  // namespace

TokenMap::TokenMap(QWidget* parent) : QAbstractScrollArea(parent), theme_(theme_of(ThemeKind::light)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // its coming and going would change the width
  setMinimumSize(120, 60);
  viewport()->setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  set_accessible_role(*this, QAccessible::Document);
}

void TokenMap::set_theme(const Theme& theme) {
  theme_ = theme;
  viewport()->update();
}

QColor TokenMap::ground(const Theme& theme, float weight) {
  QColor color = theme.accent;
  color.setAlphaF(std::clamp(weight, 0.0f, 1.0f) * (theme.kind == ThemeKind::dark ? 0.44f : 0.55f));
  return color;
}

void TokenMap::set_tokens(const std::vector<QString>& tokens) {
  texts_ = tokens;
  weights_.assign(tokens.size(), 0);
  hovered_ = current_ = -1;
  setAccessibleDescription(what_keys_do());
  measure();
  lay_out();
  verticalScrollBar()->setValue(0);
}

void TokenMap::set_weights(const std::vector<float>& weights) {
  weights_ = weights;
  weights_.resize(texts_.size(), 0);
  if (current_ >= 0 && hasFocus() && hover_text_) setAccessibleDescription(text_of(current_));
  viewport()->update();
}

// Text is measured once per word and font; a text of ten thousand tokens has some thousand words, and a hand that
// resizes the view lays it out many times a second.
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
  const int right = std::max(laid_out_width_ - map_margin, map_margin + 40), height = line_height();
  const QFontMetrics metrics = fontMetrics();
  boxes_.assign(texts_.size(), {});
  int x = map_margin, y = map_margin;
  for (std::size_t t = 0; t < texts_.size(); ++t) {
    const qsizetype breaks = texts_[t].count('\n');
    Box& box = boxes_[t];
    if (widths_[t] > 0) {
      box.width = std::min(widths_[t], right - map_margin);
      if (x > map_margin && x + box.width > right) {
        x = map_margin;
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
      x = map_margin;
      y += height;
    }
  }
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(height);
  verticalScrollBar()->setRange(0, std::max(0, y + height + map_margin - viewport()->height()));
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
    if (found->shown && at.x() >= found->x && at.x() < found->x + found->width)
      return static_cast<int>(found - boxes_.begin());
  return -1;
}

void TokenMap::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  if (viewport()->width() != laid_out_width_) return lay_out();
  const int end = boxes_.empty() ? 0 : boxes_.back().y + line_height() + map_margin;
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
    painter.setPen(dropped ? theme_.muted : theme_.text);
    painter.drawText(QPoint(area.left(), area.top() + ascent), text);
    if (dropped && !mark) painter.drawLine(area.left(), area.center().y() + 1, area.right(), area.center().y() + 1);
    if (static_cast<int>(t) == hovered_) {
      painter.setPen(theme_.text);
      painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
    if (static_cast<int>(t) == current_ && shows_focus(*this)) {
      painter.setPen(QPen(theme_.accent, 2));
      painter.drawRect(area.adjusted(1, 1, -1, -1));
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

QString TokenMap::text_of(int token) const {
  return token < 0 || !hover_text_ ? QString() : hover_text_(static_cast<std::size_t>(token));
}

bool TokenMap::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int token = token_at(help->pos());
    PinnedTip::hover(*viewport(), help->globalPos(), text_of(token),
                     token < 0 ? QRect() : box(static_cast<std::size_t>(token)));
    return true;
  }
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (mouse->button() == Qt::LeftButton)
      PinnedTip::click(*viewport(), mouse->globalPosition().toPoint(), text_of(token_at(mouse->position().toPoint())));
  }
  return QAbstractScrollArea::viewportEvent(event);
}

// The next token in that direction that is written anywhere; the same one where there is none.
int TokenMap::step(int from, int by) const {
  for (int to = from + by; to >= 0 && to < static_cast<int>(boxes_.size()); to += by)
    if (boxes_[static_cast<std::size_t>(to)].shown) return to;
  return from;
}

// The token under or above, `down` pixels away: of the line there, the one whose middle is nearest.
int TokenMap::beside(int from, int down) const {
  const Box& at = boxes_[static_cast<std::size_t>(from)];
  const int middle = at.x + at.width / 2, wanted = at.y + down;
  int best = from, best_line = at.y, best_aside = 0;
  for (int to = step(from, down > 0 ? 1 : -1), before = from; to != before;
       before = to, to = step(to, down > 0 ? 1 : -1)) {
    const Box& box = boxes_[static_cast<std::size_t>(to)];
    if (box.y == at.y) continue;
    if ((down > 0 ? box.y > wanted : box.y < wanted) && best_line != at.y && box.y != best_line) break;
    const int aside = std::abs(box.x + box.width / 2 - middle);
    if (box.y == best_line && aside >= best_aside) continue;
    best = to;
    best_line = box.y;
    best_aside = aside;
  }
  return best;
}

int TokenMap::token_of_key(const QKeyEvent& event) const {
  const bool whole = event.modifiers() & Qt::ControlModifier;
  const int end = static_cast<int>(boxes_.size());
  const auto line_end = [&](int by) {
    int at = current_;
    for (int to = step(at, by);
         to != at && boxes_[static_cast<std::size_t>(to)].y == boxes_[static_cast<std::size_t>(current_)].y;
         to = step(at, by))
      at = to;
    return at;
  };
  switch (event.key()) {
    case Qt::Key_Left:
      return step(current_, -1);
    case Qt::Key_Right:
      return step(current_, 1);
    case Qt::Key_Up:
      return beside(current_, -line_height());
    case Qt::Key_Down:
      return beside(current_, line_height());
    case Qt::Key_PageUp:
      return beside(current_, -std::max(viewport()->height() - line_height(), line_height()));
    case Qt::Key_PageDown:
      return beside(current_, std::max(viewport()->height() - line_height(), line_height()));
    case Qt::Key_Home:
      return whole ? step(-1, 1) : line_end(-1);
    case Qt::Key_End:
      return whole ? step(end, -1) : line_end(1);
    default:
      return -1;
  }
}

void TokenMap::keyPressEvent(QKeyEvent* event) {
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_ >= 0)
    return PinnedTip::click(*viewport(), below(current_), text_of(current_));
  static constexpr int keys[] = {Qt::Key_Left,   Qt::Key_Right,    Qt::Key_Up,   Qt::Key_Down,
                                 Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Home, Qt::Key_End};
  if (std::ranges::find(keys, event->key()) == std::end(keys) || event->modifiers() & Qt::AltModifier)
    return QAbstractScrollArea::keyPressEvent(event);
  if (std::ranges::none_of(boxes_, &Box::shown)) return;
  if (current_ < 0) {  // the first key only shows where one is: at the first token in sight
    const auto seen = std::ranges::find_if(
        boxes_, [this](const Box& box) { return box.shown && box.y >= verticalScrollBar()->value(); });
    current_ = seen != boxes_.end() ? static_cast<int>(seen - boxes_.begin()) : step(-1, 1);
  } else if (const int to = token_of_key(*event); to >= 0) {
    current_ = to;
  }
  show_current();
}

void TokenMap::show_current() {
  const Box& at = boxes_[static_cast<std::size_t>(current_)];
  QScrollBar& bar = *verticalScrollBar();
  if (at.y - map_margin < bar.value()) bar.setValue(at.y - map_margin);
  if (at.y + line_height() + map_margin > bar.value() + viewport()->height())
    bar.setValue(at.y + line_height() + map_margin - viewport()->height());
  viewport()->update();
  if (!hover_text_) return;
  const QString text = text_of(current_);
  setAccessibleDescription(text);
  PinnedTip::unpin();  // it is of another token
  PinnedTip::hover(*viewport(), below(current_), text, box(static_cast<std::size_t>(current_)));
}

QPoint TokenMap::below(int token) const {
  return viewport()->mapToGlobal(box(static_cast<std::size_t>(token)).bottomLeft() + QPoint(0, 4));
}

void TokenMap::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void TokenMap::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  setAccessibleDescription(what_keys_do());
  viewport()->update();
}

}  // namespace kvantage
