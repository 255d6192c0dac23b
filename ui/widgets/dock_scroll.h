// A dock's view in a frame that scrolls where the view needs more room than there is: docks above one another, or
// beside one another in large text, never make the window grow beyond the screen.
#pragma once

#include <QEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

namespace kvantage {

class DockScroll : public QScrollArea {
 public:
  /// What a dock asks for at most: two of them are beside the center of a window of 1280 x 800.
  static constexpr int min_width = 360, min_height = 110;

  explicit DockScroll(QWidget* body) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setBackgroundRole(QPalette::Window);
    viewport()->setBackgroundRole(QPalette::Window);
    setWidget(body);
    body->installEventFilter(this);
  }
  QSize minimumSizeHint() const override {
    const QSize body = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    return {std::min(body.width(), min_width), std::min(body.height(), min_height)};
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
  // As a dock would be: never less than its least size. A scroll area's own way gives a view with wrapping text the
  // height that it would like best, and scrolls where it need not.
  void fit() {
    const QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
    const bool wide_enough = viewport()->width() + verticalScrollBar()->sizeHint().width() >=
                             least.width();  // that bar takes nobody's view away
    widget()->resize(viewport()->size().expandedTo({wide_enough ? 0 : least.width(), least.height()}));
  }
};

}  // namespace kvantage
