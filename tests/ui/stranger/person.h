// A person at a window: finds controls by what a screen reader says of them or by what is written on them, and acts
// with mouse and keys alone. Stops at the first trouble, which trouble() has in words of the screen; what is asked
// afterwards does nothing, so that a script has no checks between its acts.
#pragma once

#include <QAbstractItemView>
#include <QAccessible>
#include <QAccessibleInterface>
#include <QApplication>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QLabel>
#include <QPointer>
#include <QSlider>
#include <QTest>
#include <QTimer>
#include <QToolTip>
#include <QWindow>
#include <functional>
#include <vector>

#include "tests/ui/stranger/entries.h"
#include "tests/ui/stranger/faces.h"
#include "tests/ui/stranger/reach.h"

/// Fails where the person is stuck, and says why.
#define KV_WENT_WELL(person) QVERIFY2((person).trouble().isEmpty(), qPrintable((person).trouble()))

namespace kvantage::test {

/// Calls `act` as soon as `there` holds, also inside the loop of a dialog or menu; never once `context` is gone.
inline void when(QObject& context, const std::function<bool()>& there, const std::function<void()>& act) {
  QTimer::singleShot(20, &context, [&context, there, act] {
    if (there())
      act();
    else
      when(context, there, act);
  });
}

class Person {
 public:
  /// `window` is shown, and gets the size in which everything has to be in reach. `patience_ms`: after that, what is
  /// waited for does not come.
  explicit Person(QWidget& window, int patience_ms = 30'000) : window_(window), patience_ms_(patience_ms) {
    window_.resize(1280, 800);
    window_.activateWindow();
    (void)QTest::qWaitForWindowActive(&window_);
  }

  /// What the person is stuck at; empty: all went well.
  const QString& trouble() const { return trouble_; }
  /// Later ones are not kept.
  void stop(const QString& why) {
    if (trouble_.isEmpty()) trouble_ = QStringLiteral("act %1: %2").arg(acts_).arg(why);
  }

  // In each, `part`: the name of something around the control, such as a page or a bar; empty: anywhere.

  void press(const QString& name, const QString& part = {}, ControlKind kind = ControlKind::button) {
    if (const QAccessibleInterface* face = find(name, kind, part)) click(reach_of(*face));
  }

  /// Writes into a field in place of what is in it.
  void fill(const QString& name, const QString& text, const QString& part = {}) {
    if (const QAccessibleInterface* face = find(name, ControlKind::field, part)) write_into(*face, text);
  }

  /// Chooses an item of a combo box in its pop-up list.
  void choose(const QString& name, const QString& item, const QString& part = {}) {
    const QAccessibleInterface* face = find(name, ControlKind::choice, part);
    if (face == nullptr) return;
    const auto* box = qobject_cast<const QComboBox*>(face->object());
    click(reach_of(*face));
    if (box != nullptr && box->isEditable()) press_key(window_, Qt::Key_F4);  // a click is for writing
    (void)QTest::qWaitFor([] { return QApplication::activePopupWidget() != nullptr; });
    if (const QString why = pick_in_list(item); !why.isEmpty()) stop(QStringLiteral("'%1': %2").arg(name, why));
  }

  /// Presses a button with a menu, and goes through it and its menus.
  void choose_in_menu(const QString& button, const QStringList& path, const QString& part = {}) {
    QObject context;
    bool picked = false;
    when(
        context, [] { return QApplication::activePopupWidget() != nullptr; },
        [&] {
          if (const QString why = pick_in_menu(path); !why.isEmpty()) stop(QStringLiteral("'%1': %2").arg(button, why));
          picked = true;
        });
    press(button, part);
    wait_for(QStringLiteral("the menu of '%1'").arg(button), [&] { return picked; });
  }

  /// `open` leads to a dialog that blocks the window, `act` answers it. Over when that dialog is closed.
  void through_dialog(const std::function<void()>& open, const std::function<void()>& act) {
    QObject context;
    QPointer<QWidget> dialog;
    bool answered = false;
    when(
        context,
        [] {
          const QWidget* modal = QApplication::activeModalWidget();
          return modal != nullptr && modal->isVisible() && QApplication::activePopupWidget() == nullptr;
        },
        [&] {
          dialog = QApplication::activeModalWidget();
          act();
          answered = true;
        });
    open();
    wait_for(QStringLiteral("a dialog"), [&] { return answered; });
    wait_for(QStringLiteral("the dialog closes"), [&] { return dialog.isNull() || !dialog->isVisible(); });
  }

  /// In a dialog of files: writes a path into its only field, and Enter.
  void give_path(const QString& path) {
    if (!trouble_.isEmpty()) return;
    ++acts_;
    std::vector<QAccessibleInterface*> fields;
    visit_shown(QAccessible::queryAccessibleInterface(&front_of(window_)), [&](QAccessibleInterface& face) {
      if (is_of_kind(face, ControlKind::field)) fields.push_back(&face);
    });
    if (fields.size() != 1) return stop(QStringLiteral("the dialog has %1 fields for a path").arg(fields.size()));
    write_into(*fields.front(), path);
    press_key(window_, Qt::Key_Return);
  }

  /// Takes the handle of a slider along to this share of its length, and lets it be there.
  void drag(const QString& name, double to_share, const QString& part = {}) {
    const QAccessibleInterface* face = find(name, ControlKind::slider, part);
    if (face == nullptr) return;
    auto* slider = qobject_cast<QSlider*>(face->object());
    if (slider == nullptr) return stop(QStringLiteral("'%1' has no handle").arg(name));
    QWidget* top = slider->window();
    const QPoint from = slider->mapTo(top, handle_of(*slider).center());
    const QPoint to(slider->mapTo(top, QPoint(static_cast<int>(to_share * (slider->width() - 1)), 0)).x(), from.y());
    QWindow* window = top->windowHandle();
    constexpr int moves = 8;
    QTest::mouseMove(window, from);
    QTest::mousePress(window, Qt::LeftButton, {}, from);
    for (int move = 1; move <= moves; ++move) {
      QTest::mouseMove(window, from + (to - from) * move / moves);
      QTest::qWait(30);
    }
    QTest::mouseRelease(window, Qt::LeftButton, {}, to);
  }

  /// Rests the mouse at a place in a control; the tip that comes up.
  QString hover(const QString& name, const QPoint& at, const QString& part = {}) {
    const QAccessibleInterface* face = find(name, ControlKind::any, part);
    if (face == nullptr) return {};
    QWidget* widget = widget_of(*face);
    const QPoint place = widget->mapTo(widget->window(), at);
    QTest::mouseMove(widget->window()->windowHandle(), place - QPoint(2, 0));
    QTest::mouseMove(widget->window()->windowHandle(), place);
    wait_for(QStringLiteral("a tip at '%1'").arg(name),
             [] { return QToolTip::isVisible() && !QToolTip::text().isEmpty(); });
    return QToolTip::text();
  }

  /// Clicks the cell of a table or tree that has this text.
  void press_row(const QString& view, const QString& text, Qt::KeyboardModifiers modifiers = Qt::NoModifier,
                 const QString& part = {}) {
    const QAccessibleInterface* face = find(view, ControlKind::table, part);
    if (face == nullptr) return;
    auto* list = qobject_cast<QAbstractItemView*>(face->object());
    if (list == nullptr) return stop(QStringLiteral("'%1' has no rows").arg(view));
    if (!QTest::qWaitFor([&] { return cell_with(*list, text).isValid(); }, patience_ms_))
      return stop(
          QStringLiteral("no one cell of '%1' has '%2'; rows: %3").arg(view, text, rows(view, part).join("; ")));
    const QModelIndex cell = cell_with(*list, text);
    const auto seen = [&] { return list->visualRect(cell) & list->viewport()->rect(); };
    constexpr int most_pages = 50;
    for (int page = 0; page < most_pages && seen().height() < list->visualRect(cell).height(); ++page)
      QTest::keyClick(list, Qt::Key_PageDown);
    if (seen().isEmpty()) return stop(QStringLiteral("'%1' of '%2' cannot be scrolled to").arg(text, view));
    click({list->window(), list->viewport()->mapTo(list->window(), seen().center()), {}}, modifiers);
  }

  /// What is in the rows of a table or tree, cells with " | " between.
  QStringList rows(const QString& view, const QString& part = {}) const {
    QStringList texts;
    for (const QAccessibleInterface* face : faces_called(window_, view, ControlKind::table, part))
      if (const auto* list = qobject_cast<const QAbstractItemView*>(face->object()))
        for (const QModelIndexList& row : rows_of(*list)) {
          QStringList cells;
          for (const QModelIndex& cell : row) cells << cell.data().toString();
          texts << cells.join(QStringLiteral(" | "));
        }
    return texts;
  }

  /// What is written on a control now; empty where there is none.
  QString read(const QString& name, const QString& part = {}, ControlKind kind = ControlKind::any) const {
    for (const QAccessibleInterface* face : faces_called(window_, name, kind, part))
      if (const auto* widget = qobject_cast<const QWidget*>(face->object())) return written_on(*widget);
    return {};
  }

  /// How many texts that are shown have these words.
  int count_texts(const QString& words, const QString& part = {}) const {
    int count = 0;
    visit_shown(QAccessible::queryAccessibleInterface(&front_of(window_)), [&](QAccessibleInterface& face) {
      const auto* label = qobject_cast<const QLabel*>(face.object());
      if (label != nullptr && label->text().contains(words) && is_inside(face, part)) ++count;
    });
    return count;
  }

  void wait_for(const QString& what, const std::function<bool()>& there, int longest_ms = 0) {
    if (!trouble_.isEmpty()) return;
    ++acts_;
    const int longest = longest_ms > 0 ? longest_ms : patience_ms_;
    const bool came = QTest::qWaitFor([&] { return there() || !trouble_.isEmpty(); }, longest);
    if (!came) stop(QStringLiteral("waited %1 s for %2").arg(longest / 1000).arg(what));
  }

 private:
  /// The one control of this name that can be used, waited for; null where the person is stuck.
  QAccessibleInterface* find(const QString& name, ControlKind kind, const QString& part) {
    if (!trouble_.isEmpty()) return nullptr;
    ++acts_;
    QString obstacle;
    const QDeadlineTimer deadline(patience_ms_);
    for (;;) {
      obstacle.clear();
      std::vector<QAccessibleInterface*> ready;
      for (QAccessibleInterface* face : faces_called(window_, name, kind, part)) {
        Reach reach = reach_of(*face);
        if (!reach.obstacle.isEmpty() && scroll_to(*face)) reach = reach_of(*face);
        if (!reach.obstacle.isEmpty())
          obstacle = reach.obstacle;
        else if (face->state().disabled)
          obstacle = QStringLiteral("is disabled: %1").arg(widget_of(*face)->toolTip());
        else
          ready.push_back(face);
      }
      if (ready.size() == 1) return ready.front();
      if (ready.size() > 1) obstacle = QStringLiteral("is there %1 times").arg(ready.size());
      if (deadline.hasExpired()) break;
      QTest::qWait(30);
    }
    const QString where = part.isEmpty() ? QString() : QStringLiteral(" in '%1'").arg(part);
    stop(obstacle.isEmpty() ? QStringLiteral("no control named '%1' is visible%2; visible: %3")
                                  .arg(name, where, visible_names(part).join(QStringLiteral(", ")))
                            : QStringLiteral("'%1'%2 %3").arg(name, where, obstacle));
    return nullptr;
  }

  QStringList visible_names(const QString& part) const {
    QStringList names;
    visit_shown(QAccessible::queryAccessibleInterface(&front_of(window_)), [&](QAccessibleInterface& face) {
      if (!is_inside(face, part)) return;
      for (const ControlKind kind : {ControlKind::button, ControlKind::field, ControlKind::choice, ControlKind::slider,
                                     ControlKind::tab, ControlKind::table})
        if (is_of_kind(face, kind) && reach_of(face).obstacle.isEmpty()) {
          const QString name = spoken_name(face);
          const QString shown = name.isEmpty() ? QStringLiteral("(without a name)") : name;
          if (!names.contains(shown)) names << shown;
        }
    });
    return names;
  }

  /// A list that proposes words is closed with Escape.
  void write_into(const QAccessibleInterface& field, const QString& text) {
    QWidget* widget = widget_of(field);
    click(reach_of(field));
    QTest::keyClick(widget, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(widget, text);
    close_popups();
  }

  QWidget& window_;
  const int patience_ms_;
  QString trouble_;
  int acts_ = 0;
};

}  // namespace kvantage::test
