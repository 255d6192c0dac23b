// Titles of columns, texts of buttons and values of boxes that a window shows, and which of them are cut off without a
// hover text.
#pragma once

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>

#include "tests/ui/window/scripted_window.h"
#include "ui/welcome/start_card.h"
#include "ui/widgets/eliding_label.h"

namespace kvantage {

struct CutTexts {
  QStringList cut;
  int titles = 0, buttons = 0, labels = 0, values = 0;  // that were seen
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

/// Titles and buttons below `root` that are visible.
inline void add_cut_texts(const QString& where, const QWidget& root, CutTexts& texts) {
  for (QTableView* table : root.findChildren<QTableView*>())
    if (table->isVisible()) add_cut_titles(where, *table, texts);
  for (const QAbstractButton* button : root.findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || button->text().isEmpty()) continue;
    if (dynamic_cast<const StartCard*>(button) != nullptr) continue;  // they write in letters of another size
    const auto* tool = qobject_cast<const QToolButton*>(button);
    if (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull()) continue;
    ++texts.buttons;
    const QString text = QString(button->text()).remove('&');
    if (button->width() < button->fontMetrics().horizontalAdvance(text))
      texts.cut << QStringLiteral("%1: button %2").arg(where, text);
    if (button->height() < button->fontMetrics().ascent())
      texts.cut << QStringLiteral("%1: button %2, in height").arg(where, text);
  }
}

/// Whether a part of it is beyond what is around it, where nothing scrolls to that part.
inline bool is_beyond(const QWidget& widget, const QWidget& root) {
  for (const QWidget* at = &widget; at != &root && at->parentWidget() != nullptr; at = at->parentWidget()) {
    const QWidget* around = at->parentWidget();
    const auto* area = qobject_cast<const QAbstractScrollArea*>(around->parentWidget());
    if (area != nullptr && area->viewport() == around) return false;
    if (!around->rect().adjusted(-1, -1, 1, 1).contains(at->geometry())) return true;
  }
  return false;
}

inline bool is_cut(const QLabel& label) {
  const bool tells_all = label.toolTip().contains(label.text());
  const int spared = label.fontMetrics().descent();
  if (label.wordWrap()) return label.height() + spared < label.heightForWidth(label.width());
  return (label.width() + 1 < label.sizeHint().width() && !tells_all) ||
         label.height() + spared < label.sizeHint().height();
}

inline bool is_tip(const QWidget& widget) { return widget.inherits("QTipLabel"); }

/// Qt keeps one for a while after the mouse has left: it would be taken for that of the next widget.
inline void remove_tips() {
  for (QWidget* widget : QApplication::topLevelWidgets())
    if (is_tip(*widget)) delete widget;
}

/// What is shown while the mouse is over it.
inline QString tip_over(QWidget& widget) {
  remove_tips();
  const QPoint middle = widget.rect().center();
  QHelpEvent event(QEvent::ToolTip, middle, widget.mapToGlobal(middle));
  QApplication::sendEvent(&widget, &event);
  const QString shown = QToolTip::text();
  remove_tips();
  return shown;
}

/// Boxes, spin boxes and fields, with what they ask for while they are empty. One that is too narrow has a few letters,
/// and the whole text in its tool tip.
inline void add_cut_values(const QString& where, const QWidget& page, CutTexts& texts) {
  constexpr int least_letters = 4;
  const auto add = [&](QWidget& widget, const QString& text, int room) {
    if (!widget.isVisible() || text.isEmpty()) return;
    ++texts.values;
    const QFontMetrics letters = widget.fontMetrics();
    if (is_beyond(widget, page))
      texts.cut << QStringLiteral("%1: beyond its frame: value %2").arg(where, text.left(60));
    if (widget.height() < letters.ascent()) texts.cut << QStringLiteral("%1: value %2, in height").arg(where, text);
    if (letters.horizontalAdvance(text) <= room) return;
    if (room < letters.horizontalAdvance(text.left(least_letters)) || !tip_over(widget).contains(text))
      texts.cut << QStringLiteral("%1: value %2").arg(where, text.left(60));
  };
  for (QComboBox* box : page.findChildren<QComboBox*>()) {
    if (box->isEditable()) continue;  // its field is among the fields
    QStyleOptionComboBox option;
    option.initFrom(box);
    option.subControls = QStyle::SC_All;
    const QRect room = box->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, box);
    add(*box, box->currentText(), room.width() - 2);
  }
  for (QLineEdit* field : page.findChildren<QLineEdit*>()) {
    const QString text = field->text().isEmpty() ? field->placeholderText() : field->displayText();
    const QMargins margins = field->textMargins();
    const int frame = field->hasFrame() ? 2 * field->style()->pixelMetric(QStyle::PM_DefaultFrameWidth) : 0;
    add(*field, text, field->width() - frame - margins.left() - margins.right() - 4);
  }
}

/// All texts of a page: as add_cut_texts, and labels, tabs, check boxes, values, and cards of the start page. Cells of
/// tables may be cut, as a label that says so with an ellipsis and has the whole text as its tool tip.
inline void add_cut_page_texts(const QString& where, const QWidget& page, CutTexts& texts) {
  add_cut_texts(where, page, texts);
  add_cut_values(where, page, texts);
  const auto add = [&](const char* kind, const QString& text) {
    texts.cut << QStringLiteral("%1: %2 %3").arg(where, QString::fromLatin1(kind), text.left(60));
  };
  for (const QLabel* label : page.findChildren<QLabel*>()) {
    // A tip is a child of what it is about, and lies over the page.
    if (!label->isVisible() || label->text().isEmpty() || is_tip(*label)) continue;
    ++texts.labels;
    if (is_beyond(*label, page)) add("beyond its frame: label", label->text());
    if (dynamic_cast<const ElidingLabel*>(label) == nullptr && is_cut(*label)) add("label", label->text());
  }
  for (const QAbstractButton* button : page.findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || button->text().isEmpty()) continue;
    if (is_beyond(*button, page)) add("beyond its frame: button", button->text());
    if (const auto* card = dynamic_cast<const StartCard*>(button)) {
      ++texts.buttons;
      if (card->height() + 1 < card->heightForWidth(card->width())) add("card, in height", card->text());
      if (card->painted_name() != card->text() && card->toolTip().isEmpty()) add("card", card->text());
    }
    if (qobject_cast<const QCheckBox*>(button) == nullptr && qobject_cast<const QRadioButton*>(button) == nullptr)
      continue;
    const int sign = button->style()->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, button);
    if (button->width() < sign + button->fontMetrics().horizontalAdvance(QString(button->text()).remove('&')))
      add("check box", button->text());
  }
  for (const QTabBar* tabs : page.findChildren<QTabBar*>())
    for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab)
      if (tabs->isTabVisible(tab) &&
          tabs->tabRect(tab).width() < tabs->fontMetrics().horizontalAdvance(QString(tabs->tabText(tab)).remove('&')))
        add("tab", tabs->tabText(tab));
}

/// Brings up every dock in turn.
inline CutTexts cut_texts(MainWindow& window) {
  CutTexts texts;
  for (auto& [id, dock] : docks_of(window).all()) {
    docks_of(window).bring_up(id);
    test::settle(60);
    add_cut_texts(id, *dock, texts);
  }
  return texts;
}

}  // namespace kvantage
