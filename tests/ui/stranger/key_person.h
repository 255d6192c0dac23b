// A person at a window without a mouse: Tab leads to a control, which is known by what a screen reader says of it, and
// keys act on it. Stops at the first trouble, as Person does, whose eyes it has.
#pragma once

#include <QAbstractItemView>
#include <QComboBox>
#include <QFileDialog>
#include <QItemSelectionModel>
#include <QPointer>
#include <QTabBar>
#include <functional>

#include "tests/ui/stranger/person.h"

namespace kvantage::test {

class KeyPerson {
 public:
  explicit KeyPerson(QWidget& window, int patience_ms = 30'000) : window_(window), eyes_(window, patience_ms) {}

  const QString& trouble() const { return eyes_.trouble(); }
  /// To read and to wait; never to act, which would be by mouse.
  const Person& eyes() const { return eyes_; }
  void wait_for(const QString& what, const std::function<bool()>& there, int longest_ms = 0) {
    eyes_.wait_for(what, there, longest_ms);
  }

  /// To whatever has the keyboard.
  void key(Qt::Key pressed, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    if (trouble().isEmpty()) press_key(window_, pressed, modifiers);
  }

  // In each, `part`: the name of something around the control; empty: anywhere.

  /// Tab until the control has the keyboard; round once at most.
  void go_to(const QString& name, const QString& part = {}) {
    if (!trouble().isEmpty()) return;
    constexpr int most = 2500;  // a text with links takes a press for each
    QStringList passed;
    for (int press = 0; press <= most; ++press) {
      const QWidget* now = focus();
      if (now != nullptr && is_called(*now, name, part)) return;
      if (now != nullptr && press > 0) passed << nearest_name(now);
      press_key(window_, Qt::Key_Tab);
    }
    passed.removeDuplicates();
    eyes_.stop(QStringLiteral("Tab does not lead to '%1' in '%2'; it leads to: %3").arg(name, part, passed.join(", ")));
  }
  void press(const QString& name, const QString& part = {}) {
    go_to(name, part);
    key(Qt::Key_Space);
  }
  /// In place of what is in the field.
  void fill(const QString& name, const QString& text, const QString& part = {}) {
    go_to(name, part);
    type(text);
  }
  void type(const QString& text) {
    if (!trouble().isEmpty()) return;
    key(Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(focus(), text);
    close_popups();  // that propose words
  }
  /// An item of a combo box in its list.
  void choose(const QString& name, const QString& item, const QString& part = {}) {
    go_to(name, part);
    key(Qt::Key_F4);
    if (!trouble().isEmpty()) return;
    (void)QTest::qWaitFor([] { return QApplication::activePopupWidget() != nullptr; });
    if (const QString why = pick_in_list(item); !why.isEmpty()) eyes_.stop(QStringLiteral("'%1': %2").arg(name, why));
  }
  /// A button with a menu, and through it and its menus.
  void choose_in_menu(const QString& button, const QStringList& path, const QString& part = {}) {
    go_to(button, part);
    if (!trouble().isEmpty()) return;
    QObject context;
    bool picked = false;
    when(
        context, [] { return QApplication::activePopupWidget() != nullptr; },
        [&] {
          if (const QString why = pick_in_menu(path); !why.isEmpty())
            eyes_.stop(QStringLiteral("'%1': %2").arg(button, why));
          picked = true;
        });
    key(Qt::Key_Space);
    wait_for(QStringLiteral("the menu of '%1'").arg(button), [&] { return picked; });
  }
  /// The row of a table or tree that has this text.
  void choose_row(const QString& view, const QString& text, const QString& part = {}) {
    go_to(view, part);
    auto* list = trouble().isEmpty() ? qobject_cast<QAbstractItemView*>(focus()) : nullptr;
    if (list == nullptr) return stop_at(view, QStringLiteral("has no rows"));
    if (!QTest::qWaitFor([&] { return cell_with(*list, text).isValid(); }, 30'000))
      return stop_at(view, QStringLiteral("has no row with '%1'").arg(text));
    const auto first = cell_with(*list, text).siblingAtColumn(0);
    constexpr int most = 500;
    for (const Qt::Key step : {Qt::Key_Up, Qt::Key_Down})
      for (int press = 0; press < most; ++press) {
        const QModelIndex before = list->currentIndex();
        if (before.siblingAtColumn(0) == first && before.isValid()) break;
        key(step);
        if (list->currentIndex() == before && before.isValid()) break;  // the end
      }
    if (list->currentIndex().siblingAtColumn(0) != first)
      return stop_at(view, QStringLiteral("keys do not reach '%1'").arg(text));
    if (!list->selectionModel()->isSelected(list->currentIndex())) key(Qt::Key_Space);
  }
  /// A tab of a bar.
  void choose_tab(const QString& bar, const QString& text, const QString& part = {}) {
    go_to(bar, part);
    const auto* tabs = trouble().isEmpty() ? qobject_cast<const QTabBar*>(focus()) : nullptr;
    if (tabs == nullptr) return stop_at(bar, QStringLiteral("has no tabs"));
    for (int press = 0; press < tabs->count(); ++press) key(Qt::Key_Left);
    for (int press = 0; press < tabs->count() && tabs->tabText(tabs->currentIndex()) != text; ++press)
      key(Qt::Key_Right);
    if (tabs->tabText(tabs->currentIndex()) != text) stop_at(bar, QStringLiteral("has no tab '%1'").arg(text));
  }
  /// `open` leads to a dialog, `act` answers it. Over when that dialog is closed.
  void through_dialog(const std::function<void()>& open, const std::function<void()>& act) {
    eyes_.through_dialog(open, act);
  }
  /// In Qt's dialog of files, whose field for the name has the keyboard. On a busy machine its proposals of names come
  /// late and may take the key: who sees that nothing happens presses it again, twice at most. Dialogs of the window's
  /// own are answered by key(), which presses once.
  void give_path(const QString& path) {
    const QPointer<QFileDialog> dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog.isNull()) return eyes_.stop(QStringLiteral("there is no dialog of files for %1").arg(path));
    const auto closed = [&dialog] { return dialog.isNull() || !dialog->isVisible(); };
    constexpr int most = 3, look_ms = 1000;
    type(path);
    for (int press = 0; press < most && trouble().isEmpty() && !closed(); ++press) {
      close_popups();
      if (!closed()) key(Qt::Key_Return);
      (void)QTest::qWaitFor(closed, look_ms);
    }
  }

 private:
  QWidget* focus() const { return front_of(window_).focusWidget(); }
  static bool is_called(const QWidget& widget, const QString& name, const QString& part) {
    const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(&widget));
    if (face == nullptr || !widget.isVisible()) return false;
    const bool named = spoken_name(*face) == name ||
                       (qobject_cast<const QAbstractButton*>(&widget) != nullptr && written_on(widget) == name);
    return named && is_inside(*face, part);
  }
  void stop_at(const QString& name, const QString& why) { eyes_.stop(QStringLiteral("'%1' %2").arg(name, why)); }

  QWidget& window_;
  Person eyes_;
};

}  // namespace kvantage::test
