// Titles of columns and texts of buttons that a window shows, and which of them are cut off without a hover text.
#pragma once

#include <QAbstractButton>
#include <QDockWidget>
#include <QHeaderView>
#include <QTableView>

#include "tests/ui/window/scripted_window.h"

namespace kvantage {

struct CutTexts {
  QStringList cut;
  int titles = 0, buttons = 0;  // that were seen
};

inline void add_cut_titles(const QString& dock, QTableView& table, CutTexts& texts) {
  const QHeaderView* header = table.horizontalHeader();
  for (int column = 0; column < header->count(); ++column) {
    if (header->isSectionHidden(column)) continue;
    ++texts.titles;
    const QString title = table.model()->headerData(column, Qt::Horizontal).toString();
    const QString tip = table.model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
    if (header->sectionSize(column) >= header->fontMetrics().horizontalAdvance(title) + 4) continue;
    if (tip.isEmpty() || header->textElideMode() != Qt::ElideRight || header->sectionSize(column) < 30)
      texts.cut << QStringLiteral("%1: column %2").arg(dock, title);
  }
}

/// Brings up every dock in turn.
inline CutTexts cut_texts(MainWindow& window) {
  CutTexts texts;
  for (auto& [id, dock] : window.docks().all()) {
    window.docks().bring_up(id);
    test::settle(60);
    for (QTableView* table : dock->findChildren<QTableView*>())
      if (table->isVisible()) add_cut_titles(id, *table, texts);
    for (const QAbstractButton* button : dock->findChildren<QAbstractButton*>()) {
      if (!button->isVisible() || button->text().isEmpty()) continue;
      ++texts.buttons;
      const QString text = QString(button->text()).remove('&');
      if (button->width() < button->fontMetrics().horizontalAdvance(text))
        texts.cut << QStringLiteral("%1: button %2").arg(id, text);
      if (button->height() < button->fontMetrics().ascent())
        texts.cut << QStringLiteral("%1: button %2, in height").arg(id, text);
    }
  }
  return texts;
}

}  // namespace kvantage
