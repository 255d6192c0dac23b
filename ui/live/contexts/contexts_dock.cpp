#include "ui/live/contexts/contexts_dock.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/live/contexts/contexts_table.h"
#include "ui/live/contexts/hovered_context.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

/// All columns are searched, so that a family, a tier or a reason can be typed.
class AnyColumnFilter : public KeyedSort {
 public:
  using KeyedSort::KeyedSort;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QRegularExpression wanted = filterRegularExpression();
    if (wanted.pattern().isEmpty()) return true;
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
      if (sourceModel()->index(row, column, parent).data().toString().contains(wanted)) return true;
    return false;
  }
};

}  // namespace

ContextsDock::ContextsDock(RunModel& run, SettingsController& settings, QWidget* parent)
    : QWidget(parent),
      model_(run.contexts),
      selection_(run.selection),
      decision_(run, settings),
      decode_options_(run, settings),
      proxy_(new AnyColumnFilter(*this)),
      table_(new QTableView),
      filter_(new QLineEdit),
      why_(new DecisionPage(run, decision_, decode_options_)) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  filter_->setPlaceholderText(tr("Filter by context, family, tier, method or reason"));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(tr("Filter contexts"));
  filter_->setToolTip(tr("Show only rows that contain this text in any column"));
  row->addWidget(filter_, 1);
  auto* note = new QLabel(tr("italic: predicted"));
  note->setProperty("muted", true);
  note->setToolTip(tr("Values in italics are predicted from profiles and fitted costs; upright values are measured"));
  row->addWidget(note);
  auto* left = new QWidget;
  auto* left_column = new QVBoxLayout(left);
  left_column->setContentsMargins(0, 0, 0, 0);
  left_column->setSpacing(4);
  left_column->addLayout(row);
  left_column->addWidget(table_, 1);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->addWidget(left);
  splitter->addWidget(why_);
  splitter->setStretchFactor(0, 13);
  splitter->setStretchFactor(1, 7);
  splitter->setSizes({650, 350});  // up to method and removed fraction at 1280 pixels
  column->addWidget(splitter, 1);

  proxy_->setSourceModel(&model_);
  proxy_->setSortRole(ContextsModel::sort_role);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setModel(proxy_);
  table_->setAccessibleName(tr("Contexts"));
  table_->setToolTip(tr("One row per context. Selecting one highlights it in every view; Esc clears the selection."));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ContextsModel::frequency, Qt::DescendingOrder);
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);

  new EmptyNote(*table_, [this] {
    return model_.rowCount() == 0 ? tr("No contexts yet. They appear as soon as the workload is loaded.")
                                  : tr("No context matches the filter. Clear the filter to see all.");
  });

  // A filter that hides the marked row, or a model reset, selects no other row.
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    syncing_ = true;
    proxy_->setFilterRegularExpression(
        QRegularExpression(QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption));
    proxy_->refresh();
    syncing_ = false;
    show_selection();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    if (!syncing_ && current.isValid()) selection_.choose_context(current.data(ContextsModel::context_role).toString());
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (const std::set<QString> ids = marked_contexts(); !syncing_ && ids.size() > 1) selection_.choose_contexts(ids);
  });
  connect(&selection_, &Selection::contextChanged, this, &ContextsDock::show_selection);
  connect(&selection_, &Selection::contextsChanged, this, &ContextsDock::show_chosen_contexts);
  tell_hovered_context(*table_, ContextsModel::context_role, selection_);
  connect(proxy_, &QAbstractItemModel::modelReset, this, &ContextsDock::show_selection);
  install_chart_menu(*table_, {table_, tr("Contexts"), [this] { return contexts_table(model_, *proxy_); }});
}

void ContextsDock::show_selection() {
  const int at = selection_.context().isEmpty() ? -1 : model_.row_of(selection_.context());
  const QModelIndex index = at < 0 ? QModelIndex() : proxy_->mapFromSource(model_.index(at, 0));
  if (index.isValid() && index.row() == table_->currentIndex().row() && table_->selectionModel()->hasSelection())
    return;
  syncing_ = true;
  if (index.isValid()) {
    table_->selectRow(index.row());
    table_->scrollTo(index);
  } else {
    table_->selectionModel()->clear();
  }
  syncing_ = false;
}

std::set<QString> ContextsDock::marked_contexts() const {
  std::set<QString> ids;
  for (const QModelIndex& row : table_->selectionModel()->selectedRows())
    ids.insert(row.data(ContextsModel::context_role).toString());
  return ids;
}

// Those that were brushed in a chart.
void ContextsDock::show_chosen_contexts() {
  const std::set<QString>& chosen = selection_.chosen_contexts();
  if (chosen.empty() || chosen == marked_contexts()) return;
  QItemSelection rows;
  for (const QString& id : chosen)
    if (const int at = model_.row_of(id); at >= 0)
      if (const QModelIndex index = proxy_->mapFromSource(model_.index(at, 0)); index.isValid())
        rows.select(index, index.siblingAtColumn(proxy_->columnCount() - 1));
  syncing_ = true;
  table_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
  syncing_ = false;
}

QString ContextsDock::marked() const {
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? QString() : rows.front().data(ContextsModel::context_role).toString();
}

void ContextsDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"inventory-12", "inventory", "1,999", "9.9 MiB", "remote", "streaming_llm 75 %", "99.99",
                        "≈ 0.999", "0.999 (99)", "999.9 ms", "999.9 ms (99)", "dram was full; moving this context"});
}

void ContextsDock::set_theme(const Theme& theme) {
  why_->set_theme(theme);
  table_->viewport()->update();
}

}  // namespace kvantage
