#include "ui/widgets/eliding_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace kvantage {
namespace {
constexpr int side = 2, min_letters = 8;

/// Whole pixels that hold `text`: a width rounded down would cost its last letters.
int whole_width(const QFont& font, const QString& text) {
  return static_cast<int>(std::ceil(QFontMetricsF(font).horizontalAdvance(text))) + 1;
}

}  // namespace

ElidingLabel::ElidingLabel(QWidget* parent) : QLabel(parent) { setTextFormat(Qt::PlainText); }

void ElidingLabel::set_sign(const QString& sign, const QColor& color) {
  if (sign == sign_ && color == color_) return;
  const bool wider = sign != sign_;
  sign_ = sign;
  color_ = color;
  if (wider) updateGeometry();
  update();
}

int ElidingLabel::sign_width() const { return sign_.isEmpty() ? 0 : whole_width(font(), sign_ + ' '); }

QSize ElidingLabel::sizeHint() const {
  const int words = whole_width(font(), text());
  const QMargins margins = contentsMargins();
  return {text().isEmpty() ? 0 : sign_width() + words + 2 * side + margins.left() + margins.right(),
          fontMetrics().height() + 2 * side + margins.top() + margins.bottom()};
}

QSize ElidingLabel::minimumSizeHint() const {
  const QSize whole = sizeHint();
  const int margins = contentsMargins().left() + contentsMargins().right();
  return {std::min(whole.width(), sign_width() + min_letters * fontMetrics().averageCharWidth() + 2 * side + margins),
          whole.height()};
}

QString ElidingLabel::painted() const {
  return fontMetrics().elidedText(text(), Qt::ElideRight,
                                  std::max(0, contentsRect().width() - sign_width() - 2 * side));
}

void ElidingLabel::paintEvent(QPaintEvent*) {
  if (text().isEmpty()) return;
  QPainter painter(this);
  QRect area = contentsRect().adjusted(side, 0, -side, 0);
  const auto write = [&](const QString& words) {
    style()->drawItemText(&painter, area, Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(), words,
                          foregroundRole());
  };
  if (!sign_.isEmpty()) {
    painter.setPen(color_);
    painter.drawText(area, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), sign_);
    area.setLeft(area.left() + sign_width());
  }
  write(painted());
}

bool ElidingLabel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || painted() == text()) return QLabel::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                     toolTip().isEmpty() ? text() : text() + '\n' + toolTip(), this);
  return true;
}

}  // namespace kvantage
