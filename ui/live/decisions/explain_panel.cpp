#include "ui/live/decisions/explain_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/charts/model_table.h"
#include "ui/live/contexts/hovered_context.h"
#include "ui/text/words.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

ExplainPanel::ExplainPanel(RunModel& run, SettingsController& settings, QWidget* parent)
    : QWidget(parent),
      run_(run),
      settings_(settings),
      model_(run, settings),
      from_(plain_label()),
      summary_(plain_label()),
      second_(new LogSlider(tr("Second alpha"), QStringLiteral("s"), 1, 3)),
      proxy_(new KeyedSort(*this)),
      table_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(11, 0, 10, 0);
  row->addWidget(from_);
  row->addWidget(second_, 1);
  column->addLayout(row);
  second_->set_tip(tr("α to compare the current one with, in s per unit of quality. Click the curve to set it."));
  from_->setToolTip(tr("The current α is set in Controls"));
  summary_->setProperty("muted", true);
  summary_->setContentsMargins(11, 0, 10, 0);
  summary_->setWordWrap(true);
  summary_->setToolTip(tr("Predicted by the policy for the steady state; means weighted by request frequency"));
  summary_->setAccessibleName(tr("Placement changes between two α"));
  column->addWidget(summary_);
  proxy_->setSourceModel(&model_);
  proxy_->setSortRole(ExplainModel::sort_role);
  table_->setModel(proxy_);
  table_->setAccessibleName(tr("Contexts whose placement differs between two α"));
  table_->setToolTip(tr("Predicted; largest effect on utility first"));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ExplainModel::utility, Qt::DescendingOrder);
  show_as_rows(*table_);
  column->addWidget(table_, 1);

  connect(&model_, &ExplainModel::changed, this, &ExplainPanel::show_state);
  connect(&settings_, &SettingsController::shownChanged, this, &ExplainPanel::show_state);
  connect(second_, &LogSlider::moving, &model_, &ExplainModel::set_second_alpha);
  connect(second_, &LogSlider::released, &model_, &ExplainModel::set_second_alpha);
  connect(&run_.selection, &Selection::contextChanged, this, &ExplainPanel::show_selection);
  connect(proxy_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { syncing_ = true; });
  connect(proxy_, &QAbstractItemModel::modelReset, this, [this] {
    syncing_ = false;
    show_selection();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    if (!syncing_ && current.isValid())
      run_.selection.choose_context(current.data(ExplainModel::context_role).toString());
  });
  tell_hovered_context(*table_, ExplainModel::context_role, run_.selection);
  install_chart_menu(*table_, {table_, tr("Placement changes between two α"), [this] { return table_of(*proxy_); }});
  setMinimumHeight(90);
}

void ExplainPanel::show_state() {
  from_->setText(tr("From α = %1 s to").arg(number_text(settings_.shown().alpha)));
  summary_->setText(model_.summary());
  if (model_.second_alpha() > 0 && model_.second_alpha() != second_->value()) second_->set_value(model_.second_alpha());
}

void ExplainPanel::show_selection() {
  const int at = run_.selection.context().isEmpty() ? -1 : model_.row_of(run_.selection.context());
  const QModelIndex index = at < 0 ? QModelIndex() : proxy_->mapFromSource(model_.index(at, 0));
  if (index.isValid() && index.row() == table_->currentIndex().row() && table_->selectionModel()->hasSelection())
    return;
  syncing_ = true;
  if (index.isValid())
    table_->selectRow(index.row());
  else
    table_->selectionModel()->clear();
  syncing_ = false;
}

QString ExplainPanel::marked() const {
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? QString() : rows.front().data(ExplainModel::context_role).toString();
}

void ExplainPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  second_->set_range(run_.alpha_scale().lowest, run_.alpha_scale().highest);
  model_.set_active(true);
  show_state();
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"inventory-12", "dram, uncompressed", "dram, uncompressed", "+0.0123", "0.999 → 0.999",
                        "99.9 ms → 99.9 ms", "−99.9 MiB", "inventory"});
}

void ExplainPanel::hideEvent(QHideEvent* event) {
  model_.set_active(false);
  QWidget::hideEvent(event);
}

}  // namespace kvantage
