// Controls as a screen reader has them: of what kind, by what name, around what, and which of them are shown.
#pragma once

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAccessibleInterface>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>
#include <QWidget>
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

namespace kvantage::test {

/// What one takes a control for, by its role.
enum class ControlKind { any, button, field, choice, slider, tab, table };

inline bool is_of_kind(const QAccessibleInterface& face, ControlKind kind) {
  const auto is_one_of = [role = face.role()](std::initializer_list<QAccessible::Role> roles) {
    return std::ranges::find(roles, role) != roles.end();
  };
  switch (kind) {
    case ControlKind::any:
      return true;
    case ControlKind::button:
      return is_one_of({QAccessible::Button, QAccessible::CheckBox, QAccessible::RadioButton, QAccessible::ButtonMenu,
                        QAccessible::ButtonDropDown, QAccessible::ButtonDropGrid});
    case ControlKind::field:
      return is_one_of({QAccessible::EditableText, QAccessible::SpinBox});
    case ControlKind::choice:
      return is_one_of({QAccessible::ComboBox});
    case ControlKind::slider:
      return is_one_of({QAccessible::Slider});
    case ControlKind::tab:
      return is_one_of({QAccessible::PageTab});
    case ControlKind::table:
      return is_one_of({QAccessible::Table, QAccessible::Tree, QAccessible::List});
  }
  return false;
}

/// The widget of a face; of a tab, the one that it is a part of. Null: there is none.
inline QWidget* widget_of(const QAccessibleInterface& face) {
  if (auto* own = qobject_cast<QWidget*>(face.object())) return own;
  for (QAccessibleInterface* at = face.parent(); at != nullptr && at->isValid(); at = at->parent())
    if (auto* above = qobject_cast<QWidget*>(at->object())) return above;
  return nullptr;
}

/// Of a combo box that is on Linux what Qt relates to it, not what Qt calls its name, which is its text.
inline QString spoken_name(const QAccessibleInterface& face) {
  const auto* widget = qobject_cast<const QWidget*>(face.object());
  return widget != nullptr && !widget->accessibleName().isEmpty() ? widget->accessibleName()
                                                                  : face.text(QAccessible::Name);
}

/// What one reads on a control; empty where it has no words of its own.
inline QString written_on(const QWidget& widget) {
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text().remove('&');
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* line = qobject_cast<const QLineEdit*>(&widget)) return line->text();
  if (const auto* plain = qobject_cast<const QPlainTextEdit*>(&widget)) return plain->toPlainText();
  if (const auto* rich = qobject_cast<const QTextEdit*>(&widget)) return rich->toPlainText();
  if (const auto* choice = qobject_cast<const QComboBox*>(&widget)) return choice->currentText();
  const auto* number = qobject_cast<const QAbstractSpinBox*>(&widget);
  return number != nullptr ? number->text() : QString();
}

/// Every face that is shown below `root`. Cells of tables and parts of controls are none of them.
inline void visit_shown(QAccessibleInterface* root, const std::function<void(QAccessibleInterface& face)>& visit) {
  if (root == nullptr || !root->isValid() || root->state().invisible) return;
  visit(*root);
  for (const ControlKind closed : {ControlKind::table, ControlKind::choice, ControlKind::slider})
    if (is_of_kind(*root, closed)) return;
  if (root->role() == QAccessible::SpinBox) return;
  for (int child = 0; child < root->childCount(); ++child) visit_shown(root->child(child), visit);
}

/// Whether something that is called `part` is around the face.
inline bool is_inside(const QAccessibleInterface& face, const QString& part) {
  for (QAccessibleInterface* at = face.parent(); at != nullptr && at->isValid(); at = at->parent())
    if (spoken_name(*at) == part) return true;
  return part.isEmpty();
}

/// What takes the mouse and the keys: a pop-up, else a dialog that blocks the window, else the window.
inline QWidget& front_of(QWidget& window) {
  if (QWidget* popup = QApplication::activePopupWidget()) return *popup;
  QWidget* dialog = QApplication::activeModalWidget();
  return dialog != nullptr && dialog->isVisible() ? *dialog : window;
}

inline std::vector<QAccessibleInterface*> faces_called(QWidget& window, const QString& name, ControlKind kind,
                                                       const QString& part) {
  std::vector<QAccessibleInterface*> found;
  visit_shown(QAccessible::queryAccessibleInterface(&front_of(window)), [&](QAccessibleInterface& face) {
    if (!is_of_kind(face, kind)) return;
    const auto* button = qobject_cast<const QAbstractButton*>(face.object());
    if (spoken_name(face) != name && (button == nullptr || written_on(*button) != name)) return;
    if (is_inside(face, part)) found.push_back(&face);
  });
  return found;
}

}  // namespace kvantage::test
