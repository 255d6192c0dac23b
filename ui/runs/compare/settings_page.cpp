#include "ui/runs/compare/settings_page.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/model_table.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

SettingsPage::SettingsPage(RunComparisonModel& source, ForestModel& forest, QWidget* parent)
    : QWidget(parent), model_(source, forest), all_(new QCheckBox(tr("Show all"))), table_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(4);
  all_->setAccessibleName(tr("Show all settings"));
  all_->setToolTip(tr("All settings of the two runs; those that differ are bold"));
  all_->setContentsMargins(8, 0, 8, 0);
  column->addWidget(all_);
  table_->setModel(&model_);
  table_->setAccessibleName(tr("Settings of the two runs"));
  table_->setToolTip(tr("Settings in which the baseline and the other run differ"));
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  install_chart_menu(*table_, {table_, tr("Settings of compared runs"), [this] { return table_of(model_); }});
  empty_ = new EmptyNote(*table_, [] { return tr("No settings differ."); });
  column->addWidget(table_, 1);
  connect(all_, &QCheckBox::toggled, &model_, &SettingsDiffModel::show_all);
  connect(&model_, &QAbstractItemModel::modelReset, this, &SettingsPage::fit);
}

void SettingsPage::fit() {
  constexpr int widest = 320;
  table_->ensurePolished();
  table_->resizeColumnsToContents();
  for (int at = 0; at < model_.columnCount(); ++at)
    table_->setColumnWidth(at, std::min(table_->columnWidth(at) + 12, widest));
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 7);
  empty_->update_text();
}

}  // namespace kvantage
