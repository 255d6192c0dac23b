#include "ui/tour_card.h"

#include <QPainter>
#include <QVBoxLayout>

namespace kvantage {

class TourCard::Outline : public QWidget {
 public:
  explicit Outline(QWidget* window) : QWidget(window) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
  }
  QColor colour;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 3));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6);
  }
};

TourCard::TourCard(QWidget* window)
    : QFrame(window),
      title_(new QLabel),
      text_(new QLabel),
      number_(new QLabel),
      next_(new QPushButton(QStringLiteral("&Next"))),
      close_(new QPushButton(QStringLiteral("&Close tour"))),
      outline_(new Outline(window)) {
  setObjectName("tourCard");
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 12);
  column->setSpacing(8);
  title_->setProperty("heading", true);
  number_->setProperty("muted", true);
  auto* head = new QHBoxLayout;
  head->addWidget(title_, 1);
  head->addWidget(number_);
  column->addLayout(head);
  text_->setWordWrap(true);
  column->addWidget(text_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(close_);
  buttons->addStretch(1);
  buttons->addWidget(next_);
  column->addLayout(buttons);
  next_->setAccessibleName(QStringLiteral("Next step of the tour"));
  next_->setToolTip(QStringLiteral("Goes on without doing it"));
  close_->setAccessibleName(QStringLiteral("Close the tour"));
  close_->setToolTip(QStringLiteral("Ends the tour; Help > Guided tour begins it again"));
  follow_.setInterval(120);
  connect(&follow_, &QTimer::timeout, this, &TourCard::place);
  hide();
}

void TourCard::set_theme(const Theme& theme) {
  setStyleSheet(QStringLiteral("QFrame#tourCard { background: %1; border: 1px solid %2; border-radius: 8px; }")
                    .arg(theme.base.name(), theme.accent.name()));
  outline_->colour = theme.accent;
  outline_->update();
}

void TourCard::show_step(int number, int count, const QString& title, const QString& text, QWidget* target) {
  title_->setText(title);
  number_->setText(QStringLiteral("%1 of %2").arg(number).arg(count));
  text_->setText(text);
  next_->setText(number == count ? QStringLiteral("&Finish") : QStringLiteral("&Next"));
  setAccessibleName(QStringLiteral("Tour, step %1 of %2: %3").arg(number).arg(count).arg(title));
  target_ = target;
  setFixedWidth(320 + fontMetrics().averageCharWidth() * 4);
  follow_.start();
  show();
  place();
}

void TourCard::show_done() {
  number_->setText(QStringLiteral("✓ done"));
}

void TourCard::dismiss() {
  follow_.stop();
  outline_->hide();
  hide();
}

void TourCard::place() {
  adjustSize();
  const QRect room = parentWidget()->rect().adjusted(8, 8, -8, -8);
  if (!target_ || !target_->isVisible()) {
    outline_->hide();
    move(room.center() - rect().center());
    raise();
    return;
  }
  const QRect at = QRect(target_->mapTo(parentWidget(), QPoint(0, 0)), target_->size()) & parentWidget()->rect();
  outline_->setGeometry(at.adjusted(-3, -3, 3, 3));
  outline_->setVisible(isVisible());
  outline_->raise();
  // Where it hides least: beside the target, else inside its far end.
  const int gap = 10;
  const QPoint places[] = {{at.right() + gap, at.top()},
                           {at.left() - gap - width(), at.top()},
                           {at.left(), at.bottom() + gap},
                           {at.left(), at.top() - gap - height()}};
  QPoint best(at.right() - width() - gap, at.bottom() - height() - gap);
  for (const QPoint& place : places)
    if (room.contains(QRect(place, size()))) {
      best = place;
      break;
    }
  best.setX(qBound(room.left(), best.x(), qMax(room.left(), room.right() - width())));
  best.setY(qBound(room.top(), best.y(), qMax(room.top(), room.bottom() - height())));
  move(best);
  raise();
}

}  // namespace kvantage
