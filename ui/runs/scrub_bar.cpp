#include "ui/runs/scrub_bar.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/pinned_tip.h"
#include "ui/look/pictured.h"

namespace kvantage {
namespace {

constexpr int scrub_side = 8, track_top = 14, track_height = 5;

}  // namespace

ScrubBar::ScrubBar(QWidget* parent) : QSlider(Qt::Horizontal, parent), theme_(theme_of(ThemeKind::light)) {
  setRange(0, steps);
  setSingleStep(steps / 200);
  setPageStep(steps / 20);
  setMouseTracking(true);
}

QColor ScrubBar::mark_color(const Theme& theme, int kind) {
  const QColor colors[] = {theme.accent, theme.good, theme.error, theme.warning};
  return colors[static_cast<std::size_t>(kind) % std::size(colors)];
}

void ScrubBar::set_marks(std::vector<Mark> marks) {
  marks_ = std::move(marks);
  draw_marks();
  update();
}

void ScrubBar::set_theme(const Theme& theme) {
  theme_ = theme;
  draw_marks();
  update();
}

int ScrubBar::x_of(double at) const {
  return scrub_side + static_cast<int>(std::lround(at * std::max(1, width() - 2 * scrub_side)));
}

int ScrubBar::value_at(int x) const {
  return static_cast<int>(std::lround(
      std::clamp(static_cast<double>(x - scrub_side) / std::max(1, width() - 2 * scrub_side), 0.0, 1.0) * steps));
}

// A pixel column holds one line of each kind, however many marks there are.
void ScrubBar::draw_marks() {
  const qreal scale = devicePixelRatioF();
  drawn_ = QPixmap(size() * scale);
  drawn_.setDevicePixelRatio(scale);
  drawn_.fill(Qt::transparent);
  if (drawn_.isNull()) return;
  QPainter painter(&drawn_);
  for (const int kind : {0, 1, 3, 2}) {  // faults last: they may not be covered
    painter.setPen(QPen(mark_color(theme_, kind), 1));
    int last = -1;
    for (const Mark& mark : marks_) {
      const int x = x_of(mark.at);
      if (mark.kind != kind || x == last) continue;
      last = x;
      if (kind >= 2)
        painter.drawLine(x, 3, x, track_top - 2);
      else
        painter.drawLine(x, track_top + track_height + 2, x, track_top + track_height + 10);
    }
  }
}

void ScrubBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const int x = x_of(static_cast<double>(value()) / steps);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.border);
  painter.drawRoundedRect(QRectF(scrub_side, track_top, width() - 2 * scrub_side, track_height), 2, 2);
  painter.setBrush(isEnabled() ? theme_.accent : theme_.faint);
  painter.drawRoundedRect(QRectF(scrub_side, track_top, x - scrub_side, track_height), 2, 2);
  painter.drawPixmap(0, 0, drawn_);
  if (!isEnabled()) return;
  painter.setPen(shows_focus(*this) ? QPen(theme_.text, 2) : QPen(theme_.accent, 1));
  painter.setBrush(theme_.base);
  painter.drawEllipse(QPointF(x, track_top + track_height / 2.0), 7, 7);
}

void ScrubBar::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  setSliderDown(true);
  setSliderPosition(value_at(event->position().toPoint().x()));
}

void ScrubBar::mouseMoveEvent(QMouseEvent* event) {
  if (isSliderDown()) setSliderPosition(value_at(event->position().toPoint().x()));
}

void ScrubBar::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !isSliderDown()) return;
  setSliderDown(false);
  PinnedTip::click(*this, event->globalPosition().toPoint(), marks_text(event->position().toPoint().x()));
}

QString ScrubBar::marks_text(int x) const {
  constexpr qsizetype most = 24;
  QStringList near;
  for (const Mark& mark : marks_)
    if (std::abs(x_of(mark.at) - x) <= 3 && near.size() < most) near << mark.text;
  return near.join('\n');
}

void ScrubBar::resizeEvent(QResizeEvent* event) {
  QSlider::resizeEvent(event);
  draw_marks();
}

bool ScrubBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QSlider::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString near = marks_text(help->pos().x());
  PinnedTip::hover(*this, help->globalPos(), near.isEmpty() ? toolTip() : near);
  return true;
}

}  // namespace kvantage
