// Choosing among entries with the keys and reading them: menus, lists of combo boxes, tables and trees.
#pragma once

#include <QAbstractItemView>
#include <QApplication>
#include <QMenu>
#include <QTest>
#include <QTreeView>
#include <vector>

#include "tests/ui/stranger/reach.h"

namespace kvantage::test {

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

}  // namespace kvantage::test
