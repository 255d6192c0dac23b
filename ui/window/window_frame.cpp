#include "ui/window/window_frame.h"

#include <QCloseEvent>
#include <QCoreApplication>

namespace kvantage {

WindowFrame::WindowFrame() : layout_(new QStackedLayout(this)), picture_(new QLabel), line_(new QLabel(picture_)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->addWidget(picture_);
  picture_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
  line_->setTextFormat(Qt::PlainText);  // a workload's name is another's
  line_->setAutoFillBackground(true);
  line_->setFrameShape(QFrame::StyledPanel);
  line_->setMargin(14);
  line_->setObjectName(QStringLiteral("openingLine"));
}

void WindowFrame::take(QWidget& window) {
  const bool first = !isVisible();
  if (first) {
    setWindowTitle(window.windowTitle());
    setWindowIcon(window.windowIcon());
    setGeometry(window.geometry());
    setWindowState(window.windowState());
  }
  window.setWindowState(Qt::WindowNoState);
  window.setWindowFlags(Qt::Widget);
  layout_->addWidget(&window);  // takes the place of the last one, which is deleted by now
  uncover();
  if (first) show();
}

void WindowFrame::cover(const QString& what) {
  if (QWidget* shown = held()) picture_->setPixmap(shown->grab());
  line_->setText(what);
  line_->adjustSize();
  line_->move((width() - line_->width()) / 2, (height() - line_->height()) / 3);
  layout_->setCurrentWidget(picture_);
  repaint();
}

void WindowFrame::uncover() {
  if (QWidget* shown = held()) layout_->setCurrentWidget(shown);
  picture_->clear();
}

void WindowFrame::closeEvent(QCloseEvent* event) {
  QWidget* shown = held();
  event->setAccepted(shown == nullptr || shown->close());
}

void WindowFrame::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange)
    if (QWidget* shown = held()) QCoreApplication::sendEvent(shown, event);
  QWidget::changeEvent(event);
}

}  // namespace kvantage
