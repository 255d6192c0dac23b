// A dock's view in a frame that scrolls where the view needs more height than there is: docks above one another never make
// the window grow beyond the screen.
#pragma once

#include <QScrollArea>
#include <algorithm>

namespace kvantage {

class DockScroll : public QScrollArea {
 public:
  explicit DockScroll(QWidget* body) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // it is as wide as its view needs
    setFocusPolicy(Qt::NoFocus);
    setBackgroundRole(QPalette::Window);
    viewport()->setBackgroundRole(QPalette::Window);
    setWidget(body);
    body->installEventFilter(this);
  }
  QSize minimumSizeHint() const override {
    const QSize body = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    return {body.width(), std::min(body.height(), least_height)};
  }
  QSize sizeHint() const override { return widget()->sizeHint(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) {
      updateGeometry();
      fit();
    }
    return QScrollArea::eventFilter(watched, event);
  }
  void resizeEvent(QResizeEvent* event) override {
    QScrollArea::resizeEvent(event);
    fit();
  }

 private:
  // As a dock would be: never less than its least size. A scroll area's own way gives a view with wrapping text the height
  // that it would like best, and scrolls where it need not.
  void fit() {
    const QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    widget()->resize(viewport()->size().expandedTo({0, least.height()}));
  }
  static constexpr int least_height = 110;
};

}  // namespace kvantage
