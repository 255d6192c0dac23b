#include "ui/runs/compare/values_table.h"

#include <QStyledItemDelegate>
#include <algorithm>

#include "ui/charts/model_table.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

/// Headings in bold, verdicts in the color of what they say.
class ValuesDelegate : public QStyledItemDelegate {
 public:
  ValuesDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(RunComparisonModel::kind_role).toInt() == static_cast<int>(RunComparisonModel::Kind::heading)) {
      option->font.setWeight(QFont::DemiBold);
      option->palette.setColor(QPalette::Text, theme_.muted);
      return;
    }
    const auto judgment = static_cast<Judgment>(index.data(RunComparisonModel::judgment_role).toInt());
    if (judgment == Judgment::better) option->palette.setColor(QPalette::Text, theme_.good);
    if (judgment == Judgment::worse) option->palette.setColor(QPalette::Text, theme_.error);
  }

 private:
  const Theme& theme_;
};

}  // namespace

ValuesTable::ValuesTable(RunComparisonModel& model, QWidget* parent)
    : QTableView(parent), model_(model), theme_(theme_of(ThemeKind::light)) {
  setModel(&model_);
  setItemDelegate(new ValuesDelegate(theme_, this));
  setAccessibleName(tr("Compared runs"));
  setToolTip(
      tr("Settings that differ and metrics of each run, with 95 % intervals and n. Differences are relative to the "
         "baseline."));
  show_as_rows(*this);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  install_chart_menu(*this, {this, tr("Compared runs"), [this] { return table_of(model_); }});
  connect(&model_, &QAbstractItemModel::modelReset, this, &ValuesTable::fit);
}

void ValuesTable::fit() {
  clearSpans();
  for (int row = 0; row < model_.rowCount(); ++row)
    if (model_.index(row, 0).data(RunComparisonModel::kind_role).toInt() ==
        static_cast<int>(RunComparisonModel::Kind::heading))
      setSpan(row, 0, 1, std::max(2, model_.columnCount()));
  ensurePolished();
  resizeColumnsToContents();
  constexpr int widest = 470;
  for (int column = 0; column < model_.columnCount(); ++column)
    setColumnWidth(column, std::min(columnWidth(column) + 12, widest));
  // A verdict has a line of its own.
  const int line = fontMetrics().height();
  for (int row = 0; row < model_.rowCount(); ++row) {
    qsizetype lines = 1;
    for (int column = 1; column < model_.columnCount(); ++column)
      lines = std::max(lines, model_.index(row, column).data().toString().count('\n') + 1);
    setRowHeight(row, line * static_cast<int>(lines) + 8);
  }
}

void ValuesTable::set_theme(const Theme& theme) {
  theme_ = theme;
  viewport()->update();
}

}  // namespace kvantage
