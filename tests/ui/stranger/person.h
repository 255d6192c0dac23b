// A person at a window: finds controls by what a screen reader says of them or by what is written on them, and acts
// with mouse and keys alone. Stops at the first trouble, which is told in words of the screen; what is asked afterwards
// does nothing, so that a script has no checks between its acts.
#pragma once

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAccessibleInterface>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTest>
#include <QTextEdit>
#include <QTimer>
#include <QToolTip>
#include <QTreeView>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

/// Fails where the person is stuck, and says why.
#define KV_WENT_WELL(person) QVERIFY2((person).trouble().isEmpty(), qPrintable((person).trouble()))

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

/// As a window manager does, a click brings the window to the front first.
inline void click(const Reach& reach, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  if (QApplication::activePopupWidget() == nullptr && !reach.top->isActiveWindow()) {
    reach.top->activateWindow();
    (void)QTest::qWaitFor([&] { return reach.top->isActiveWindow(); }, 1000);
  }
  QWindow* window = reach.top->windowHandle();
  QTest::mouseMove(window, reach.at);
  QTest::mouseClick(window, Qt::LeftButton, modifiers, reach.at);
}

inline void press_key(QWidget& window, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWidget& front = front_of(window);
  QTest::keyClick(front.focusWidget() != nullptr ? front.focusWidget() : &front, key, modifiers);
}

inline void close_popups() {
  while (QWidget* popup = QApplication::activePopupWidget()) {
    QTest::keyClick(popup, Qt::Key_Escape);
    if (QApplication::activePopupWidget() == popup) popup->close();
  }
}

/// Goes through the menu that popped up with the arrow keys, and chooses; an error where an entry is not offered.
inline QString pick_in_menu(const QStringList& path) {
  for (const QString& wanted : path) {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) return QStringLiteral("no menu popped up for '%1'").arg(wanted);
    const auto marked = [menu] {
      return menu->activeAction() != nullptr ? menu->activeAction()->text().remove('&') : QString();
    };
    QStringList offered;
    for (qsizetype step = 0; step <= menu->actions().size() && marked() != wanted; ++step) {
      offered << marked();
      QTest::keyClick(menu, Qt::Key_Down);
    }
    if (marked() != wanted) {
      close_popups();
      return QStringLiteral("the menu has no '%1' to choose; it has: %2").arg(wanted, offered.join(", "));
    }
    const bool is_last = &wanted == &path.constLast();
    QTest::keyClick(menu, is_last ? Qt::Key_Return : Qt::Key_Right);
    if (QTest::qWaitFor([menu] { return QApplication::activePopupWidget() != menu; })) continue;
    close_popups();
    return QStringLiteral("'%1' of the menu cannot be chosen").arg(wanted);
  }
  return {};
}

/// The same in the list of a combo box.
inline QString pick_in_list(const QString& item) {
  QWidget* popup = QApplication::activePopupWidget();
  auto* list = popup != nullptr ? popup->findChild<QAbstractItemView*>() : nullptr;
  if (list == nullptr) return QStringLiteral("no list popped up for '%1'").arg(item);
  const auto marked = [list] { return list->currentIndex().data().toString(); };
  QStringList offered;
  QTest::keyClick(list, Qt::Key_Home);
  for (int row = -1; row != list->currentIndex().row() && marked() != item;) {
    row = list->currentIndex().row();
    offered << marked();
    QTest::keyClick(list, Qt::Key_Down);
  }
  if (marked() != item) {
    close_popups();
    return QStringLiteral("the list has no '%1'; it has: %2").arg(item, offered.join(", "));
  }
  QTest::keyClick(list, Qt::Key_Return);
  return QTest::qWaitFor([] { return QApplication::activePopupWidget() == nullptr; })
             ? QString()
             : QStringLiteral("the list stays open after '%1' was chosen").arg(item);
}

/// Rows of a table or tree that are unfolded, each with the cells of columns that are shown.
inline std::vector<QModelIndexList> rows_of(const QAbstractItemView& view) {
  std::vector<QModelIndexList> rows;
  const QAbstractItemModel* model = view.model();
  if (model == nullptr) return rows;
  const auto* tree = qobject_cast<const QTreeView*>(&view);
  for (QModelIndex at = model->index(0, 0, view.rootIndex()); at.isValid();
       at = tree != nullptr ? tree->indexBelow(at) : at.siblingAtRow(at.row() + 1)) {
    QModelIndexList& cells = rows.emplace_back();
    for (int column = 0; column < model->columnCount(at.parent()); ++column)
      if (const QModelIndex cell = at.siblingAtColumn(column); view.visualRect(cell).width() > 0) cells << cell;
  }
  return rows;
}

/// The only cell with this text, else the only one that has it as a part; invalid where there is none.
inline QModelIndex cell_with(const QAbstractItemView& view, const QString& text) {
  QModelIndexList same, longer;
  for (const QModelIndexList& row : rows_of(view))
    for (const QModelIndex& cell : row) {
      const QString shown = cell.data().toString();
      if (shown == text) same << cell;
      if (shown != text && shown.contains(text)) longer << cell;
    }
  if (!same.isEmpty()) return same.size() == 1 ? same.front() : QModelIndex();
  return longer.size() == 1 ? longer.front() : QModelIndex();
}

/// Calls `act` as soon as `there` holds, also inside the loop of a dialog or menu; never once `context` is gone.
inline void when(QObject& context, const std::function<bool()>& there, const std::function<void()>& act) {
  QTimer::singleShot(20, &context, [&context, there, act] {
    if (there())
      act();
    else
      when(context, there, act);
  });
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
  /// The first trouble is the one that is told.
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
