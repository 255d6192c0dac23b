// Whether a control can be reached with the mouse, scrolling to it, and the clicks and keys themselves.
#pragma once

#include <QAccessibleInterface>
#include <QApplication>
#include <QCheckBox>
#include <QPointer>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTest>
#include <QWheelEvent>
#include <QWindow>
#include <vector>

#include "tests/ui/stranger/faces.h"

namespace kvantage::test {

/// Where to click a control, or why one cannot.
struct Reach {
  QWidget* top = nullptr;
  QPoint at = {};  // in it
  QString obstacle = {};
};

inline QString nearest_name(const QWidget* widget) {
  for (const QWidget* at = widget; at != nullptr; at = at->parentWidget())
    if (!at->accessibleName().isEmpty()) return at->accessibleName();
  return widget != nullptr ? QString::fromLatin1(widget->metaObject()->className()) : QString();
}

/// Its middle; of a check box the box, of a tab that is partly scrolled away what is left of it.
inline Reach reach_of(const QAccessibleInterface& face) {
  QWidget* widget = widget_of(face);
  if (widget == nullptr) return {nullptr, {}, QStringLiteral("is not on the screen")};
  Reach reach{widget->window(), {}, QStringLiteral("has no size")};
  const QRect place = face.rect().translated(-reach.top->mapToGlobal(QPoint(0, 0)));
  if (place.isEmpty()) return reach;
  constexpr int inside_box = 9;
  const bool is_tab = is_of_kind(face, ControlKind::tab);  // arrows that scroll tabs are over them
  std::vector<int> across{place.center().x()};
  if (is_tab) across.push_back(place.left() + place.width() / 5);
  if (qobject_cast<QCheckBox*>(widget) != nullptr || qobject_cast<QRadioButton*>(widget) != nullptr)
    across = {place.left() + inside_box};
  for (const int x : across) {
    reach.at = QPoint(x, place.center().y());
    const QWidget* hit = reach.top->childAt(reach.at);
    if (!reach.top->rect().contains(reach.at))
      reach.obstacle = QStringLiteral("is outside the window");
    else if (hit == widget || (!is_tab && widget->isAncestorOf(hit)))
      return {reach.top, reach.at, {}};
    else
      reach.obstacle = QStringLiteral("is covered by '%1'").arg(nearest_name(hit));
  }
  return reach;
}

/// Turns the wheel over the area that a control is scrolled in; whether that brought it into view.
inline bool scroll_to(const QAccessibleInterface& face) {
  QWidget* widget = widget_of(face);
  for (QWidget* at = widget; at != nullptr; at = at->parentWidget()) {
    auto* area = qobject_cast<QScrollArea*>(at->parentWidget());
    if (area == nullptr || !area->viewport()->isAncestorOf(widget)) continue;
    const QPoint middle = area->viewport()->rect().center();
    constexpr int notch = 120, most_notches = 200;
    for (int turn = 0; turn < most_notches; ++turn) {
      const int y = widget->mapTo(area->viewport(), widget->rect().center()).y();
      if (y >= 0 && y < area->viewport()->height()) return turn > 0;
      const int before = area->verticalScrollBar()->value();
      QWheelEvent wheel(middle, area->viewport()->mapToGlobal(middle), QPoint(), QPoint(0, y < 0 ? notch : -notch),
                        Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
      QApplication::sendEvent(area->viewport(), &wheel);
      if (area->verticalScrollBar()->value() == before) return false;
    }
  }
  return false;
}

/// As a window manager does for the window that somebody turns to. Without one, no window has the keyboard after a
/// dialog closed.
inline void bring_to_front(QWidget& top) {
  if (QApplication::activePopupWidget() != nullptr || top.isActiveWindow()) return;
  top.activateWindow();
  const QPointer<QWidget> kept(&top);  // a dialog may go meanwhile
  (void)QTest::qWaitFor([&kept] { return kept.isNull() || kept->isActiveWindow(); }, 1000);
}

inline void click(const Reach& reach, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  bring_to_front(*reach.top);
  QWindow* window = reach.top->windowHandle();
  QTest::mouseMove(window, reach.at);
  QTest::mouseClick(window, Qt::LeftButton, modifiers, reach.at);
}

inline void press_key(QWidget& window, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  bring_to_front(front_of(window));
  QWidget& front = front_of(window);
  QTest::keyClick(front.focusWidget() != nullptr ? front.focusWidget() : &front, key, modifiers);
}

inline void close_popups() {
  while (QWidget* popup = QApplication::activePopupWidget()) {
    QTest::keyClick(popup, Qt::Key_Escape);
    if (QApplication::activePopupWidget() == popup) popup->close();
  }
}

/// The handle of a slider, in it.
inline QRect handle_of(const QSlider& slider) {
  QStyleOptionSlider option;
  option.initFrom(&slider);
  option.subControls = QStyle::SC_SliderHandle;
  option.orientation = slider.orientation();
  option.minimum = slider.minimum();
  option.maximum = slider.maximum();
  option.sliderPosition = option.sliderValue = slider.value();
  return slider.style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider);
}

}  // namespace kvantage::test
