#include "ui/welcome/start_card.h"

#include <QStyleOptionButton>
#include <QStylePainter>
#include <algorithm>

namespace kvantage {
namespace {

constexpr QSize whole_picture(72, 48), small_picture(40, 27);
constexpr int card_margin = 6;
constexpr QMargins whole_margins(7, 10, 4, 10);

/// Of a text in lines of at most `room` pixels.
QSize size_of_lines(const QFont& font, const QString& text, int room) {
  constexpr int any_height = 1 << 16;
  return QFontMetrics(font).boundingRect(QRect(0, 0, room, any_height), Qt::TextWordWrap, text).size();
}

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

// In the font of the program, where a command link button has 9 pt at any size of text.
QFont StartCard::title_font() const {
  QFont letters = font();
  letters.setBold(true);
  return letters;
}

int StartCard::text_left() const { return whole_margins.left() + whole_picture.width() + card_margin; }

// As low as it may be; heightForWidth() has room for all lines.
QSize StartCard::whole_size(int text_width) const {
  return {text_left() + text_width + whole_margins.right(),
          std::max(whole_picture.height(), QFontMetrics(title_font()).height()) + whole_margins.top() +
              whole_margins.bottom()};
}

QSize StartCard::sizeHint() const {
  return compact_ ? compact_size(fontMetrics().horizontalAdvance(text()))
                  : whole_size(QFontMetrics(title_font()).horizontalAdvance(text()));
}

QSize StartCard::minimumSizeHint() const {
  constexpr int fewest_letters = 6;
  if (compact_) return compact_size(fewest_letters * fontMetrics().averageCharWidth());
  const auto widest_word = [](const QFont& letters, const QString& words) {
    return size_of_lines(letters, words, 1).width();
  };
  return whole_size(std::max(widest_word(title_font(), text()), widest_word(font(), description())));
}

int StartCard::heightForWidth(int width) const {
  if (compact_) return compact_size(0).height();
  const int room = std::max(1, width - text_left() - whole_margins.right());
  const int lines =
      size_of_lines(title_font(), text(), room).height() + size_of_lines(font(), description(), room).height();
  return std::max(whole_picture.height(), lines) + whole_margins.top() + whole_margins.bottom();
}

void StartCard::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  option.text.clear();
  option.icon = QIcon();
  painter.drawControl(QStyle::CE_PushButton, option);
  const QPoint corner = compact_ ? QPoint(card_margin, (height() - iconSize().height()) / 2)
                                 : QPoint(whole_margins.left(), whole_margins.top());
  icon().paint(&painter, QRect(corner, iconSize()), Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
  const auto write = [&](const QFont& letters, const QRect& room, int flags, const QString& text) {
    painter.setFont(letters);
    painter.drawItemText(room, flags, palette(), isEnabled(), text, QPalette::ButtonText);
  };
  if (compact_) return write(name_font(), name_room(), Qt::AlignLeft | Qt::AlignVCenter, painted_name());
  const QRect texts =
      rect().adjusted(text_left(), whole_margins.top(), -whole_margins.right(), -whole_margins.bottom());
  const int title_height = size_of_lines(title_font(), text(), texts.width()).height();
  write(title_font(), texts, Qt::TextWordWrap, text());
  write(font(), texts.adjusted(0, title_height, 0, 0), Qt::TextWordWrap, description());
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
