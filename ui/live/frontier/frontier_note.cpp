#include "ui/live/frontier/frontier_note.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/screen_only.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

FrontierNote::FrontierNote(QWidget& chart)
    : QFrame(&chart), label_(plain_label()), open_(new QToolButton), close_(new QToolButton) {
  setObjectName(QStringLiteral("frontierNote"));
  setProperty(screen_only_property, true);
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  setAccessibleName(tr("Point of the Frontier"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(9, 7, 9, 7);
  column->setSpacing(5);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(label_);
  auto* row = new QHBoxLayout;
  open_->setObjectName(QStringLiteral("openPoint"));
  open_->setText(tr("Open run"));
  open_->setAccessibleName(open_->text());
  open_->setToolTip(tr("Show the requests behind this point"));
  close_->setText(tr("Close"));
  close_->setAccessibleName(tr("Close"));
  close_->setToolTip(tr("Close this note (Esc)"));
  for (QToolButton* button : {open_, close_}) {
    button->setProperty("framed", true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  row->addStretch(1);
  column->addLayout(row);
  connect(open_, &QToolButton::clicked, this, [this] {
    close_note();
    emit openRequested();
  });
  connect(close_, &QToolButton::clicked, this, &FrontierNote::close_note);
  hide();
}

void FrontierNote::pin(const QString& text, const QPoint& at, const QString& open) {
  constexpr int beside = 14, edge = 4, widest = 460;  // pixels
  label_->setText(text);
  open_->setText(open);
  open_->setAccessibleName(open);
  open_->setVisible(!open.isEmpty());
  const QRect room = parentWidget()->rect().adjusted(edge, edge, -edge, -edge);
  const int letters_wide = std::max(widest, 40 * fontMetrics().averageCharWidth());
  const int width = std::clamp(std::min(letters_wide, room.width()), 1, std::max(1, room.width()));
  const int height = hasHeightForWidth() ? heightForWidth(width) : sizeHint().height();
  resize(width, std::min(height, std::max(1, room.height())));
  const bool right = at.x() + beside + this->width() <= room.right();
  const int x = right ? at.x() + beside : at.x() - beside - this->width();
  move(std::clamp(x, room.left(), std::max(room.left(), room.right() - this->width())),
       std::clamp(at.y() - this->height() / 2, room.top(), std::max(room.top(), room.bottom() - this->height())));
  show();
  raise();
  (open.isEmpty() ? close_ : open_)->setFocus(Qt::PopupFocusReason);
}

void FrontierNote::close_note() {
  const bool focused = isAncestorOf(window()->focusWidget());
  hide();
  if (focused) parentWidget()->setFocus(Qt::OtherFocusReason);
}

bool FrontierNote::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
    if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {  // the window's otherwise
      if (event->type() == QEvent::KeyPress) close_note();
      event->accept();
      return true;
    }
  }
  return QFrame::event(event);
}

}  // namespace kvantage
