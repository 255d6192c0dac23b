// What takes the keyboard in a window, and what is said of it.
#pragma once

#include <QAbstractButton>
#include <QAccessible>
#include <QAccessibleInterface>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QString>
#include <QTabBar>
#include <QWidget>

namespace kvantage::keyboard_controls {

/// Parts that Qt makes inside a control speak through it.
inline bool is_part(const QWidget& widget) {
  if (widget.objectName().startsWith("qt_")) return true;
  const QWidget* parent = widget.parentWidget();
  return qobject_cast<const QMenu*>(&widget) || qobject_cast<const QTabBar*>(&widget) ||
         qobject_cast<const QHeaderView*>(&widget) ||
         (parent && (parent->inherits("QAbstractSpinBox") || qobject_cast<const QTabBar*>(parent) ||
                     qobject_cast<const QComboBox*>(parent) || parent->inherits("QComboBoxPrivateContainer") ||
                     parent->inherits("QLineEdit")));
}

inline bool takes_keyboard(const QWidget& widget) {
  if (widget.focusPolicy() == Qt::NoFocus || widget.focusProxy() != nullptr || is_part(widget)) return false;
  // Words that a click may select are not walked to.
  return !qobject_cast<const QLabel*>(&widget) || widget.focusPolicy() & Qt::TabFocus;
}

inline bool is_walked_to(const QWidget& widget) {
  return takes_keyboard(widget) && widget.focusPolicy() & Qt::TabFocus && widget.isVisible() && widget.isEnabled();
}

inline QString where(const QWidget& widget) {
  QString path;
  for (const QWidget* at = &widget; at; at = at->parentWidget()) {
    path += QString(at->metaObject()->className()) + (at->objectName().isEmpty() ? "" : "#" + at->objectName()) + " < ";
    if (qobject_cast<const QDockWidget*>(at)) break;
  }
  return path;
}

inline QString name_of(const QWidget& widget) {
  if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
  const auto* button = qobject_cast<const QAbstractButton*>(&widget);
  return button ? button->text() : QString();
}

/// A screen reader has a word for it: it is more than some part of a window.
inline bool has_role(QWidget& widget) {
  const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&widget);
  return face != nullptr && face->role() != QAccessible::NoRole && face->role() != QAccessible::Client;
}

}  // namespace kvantage::keyboard_controls
