#include "ui/welcome/start_card.h"

#include <QStyleOptionButton>
#include <QStylePainter>
#include <algorithm>

namespace kvantage {
namespace {

constexpr QSize whole_picture(72, 48), small_picture(40, 27);
constexpr int card_margin = 6;

}  // namespace

StartCard::StartCard(const QString& name, const QString& what, const QIcon& picture, QWidget* parent)
    : QCommandLinkButton(name, what, parent) {
  setIcon(picture);
  setIconSize(whole_picture);
  setToolTip(what);
  setAccessibleDescription(what);
}

void StartCard::set_compact(bool compact) {
  if (compact == compact_) return;
  compact_ = compact;
  setIconSize(compact ? small_picture : whole_picture);
  updateGeometry();
  update();
}

QSize StartCard::compact_size(int name_width) const {
  return {small_picture.width() + name_width + 3 * card_margin,
          std::max(small_picture.height(), fontMetrics().height()) + card_margin};
}

QSize StartCard::sizeHint() const {
  return compact_ ? compact_size(fontMetrics().horizontalAdvance(text())) : QCommandLinkButton::sizeHint();
}

QSize StartCard::minimumSizeHint() const {
  constexpr int fewest_letters = 6;
  return compact_ ? compact_size(fewest_letters * fontMetrics().averageCharWidth())
                  : QCommandLinkButton::minimumSizeHint();
}

int StartCard::heightForWidth(int width) const {
  return compact_ ? compact_size(0).height() : QCommandLinkButton::heightForWidth(width);
}

void StartCard::paintEvent(QPaintEvent* event) {
  if (!compact_) return QCommandLinkButton::paintEvent(event);
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  option.text.clear();
  option.icon = QIcon();
  painter.drawControl(QStyle::CE_PushButton, option);
  icon().paint(
      &painter,
      QRect(card_margin, (height() - small_picture.height()) / 2, small_picture.width(), small_picture.height()),
      Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
  painter.setFont(name_font());
  painter.drawItemText(name_room(), Qt::AlignLeft | Qt::AlignVCenter, palette(), isEnabled(), painted_name(),
                       QPalette::ButtonText);
}

QRect StartCard::name_room() const {
  return rect().adjusted(2 * card_margin + small_picture.width(), 0, -card_margin, 0);
}

/// Smaller letters rather than fewer: the ends of names distinguish samples.
QFont StartCard::name_font() const {
  constexpr double smallest = 0.75, step = 0.95;
  QFont letters = font();
  const double least = smallest * letters.pointSizeF();
  while (QFontMetrics(letters).horizontalAdvance(text()) > name_room().width() && step * letters.pointSizeF() >= least)
    letters.setPointSizeF(step * letters.pointSizeF());
  return letters;
}

QString StartCard::painted_name() const {
  const QFontMetrics letters(name_font());
  const int room = name_room().width();
  // elidedText() shortens a text that fits exactly.
  return letters.horizontalAdvance(text()) <= room ? text() : letters.elidedText(text(), Qt::ElideRight, room);
}

}  // namespace kvantage
