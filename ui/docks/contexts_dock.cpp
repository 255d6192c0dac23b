#include "ui/docks/contexts_dock.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/charts/chart_table.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

/// All columns are searched, so that a family, a tier or a reason can be typed.
class AnyColumnFilter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    const QRegularExpression wanted = filterRegularExpression();
    if (wanted.pattern().isEmpty()) return true;
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
      if (sourceModel()->index(row, column, parent).data().toString().contains(wanted)) return true;
    return false;
  }
};

ChartTable table_of(const QAbstractItemModel& model) {
  ChartTable table;
  for (int c = 0; c < model.columnCount(); ++c) table.header << model.headerData(c, Qt::Horizontal).toString();
  for (int r = 0; r < model.rowCount(); ++r) {
    QStringList cells;
    for (int c = 0; c < model.columnCount(); ++c) cells << model.index(r, c).data().toString();
    table.rows.append(cells);
  }
  return table;
}

}  // namespace

ContextsDock::ContextsDock(ContextsModel& model, SensitivityModel& sensitivity, QWidget* parent)
    : QWidget(parent),
      model_(model),
      sensitivity_(sensitivity),
      proxy_(new AnyColumnFilter(this)),
      table_(new QTableView),
      filter_(new QLineEdit) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  filter_->setPlaceholderText(QStringLiteral("Filter by context, family, tier, method or reason"));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(QStringLiteral("Filter contexts"));
  row->addWidget(filter_, 1);
  auto* note = new QLabel(QStringLiteral("<i>italic</i>: predicted"));
  note->setProperty("muted", true);
  note->setToolTip(QStringLiteral("Italic figures are predicted from profiles and fits; upright ones are measured"));
  row->addWidget(note);
  column->addLayout(row);
  column->addWidget(table_, 1);

  proxy_->setSourceModel(&model_);
  proxy_->setSortRole(ContextsModel::sort_role);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setModel(proxy_);
  table_->setAccessibleName(QStringLiteral("Contexts"));
  table_->setSortingEnabled(true);
  table_->sortByColumn(ContextsModel::frequency, Qt::DescendingOrder);
  show_as_rows(*table_);

  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    proxy_->setFilterRegularExpression(
        QRegularExpression(QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption));
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    sensitivity_.set_context(current.data(ContextsModel::context_role).toString());
  });
  connect(&sensitivity_, &SensitivityModel::contextChanged, this, [this](const QString& context) {
    const int at = model_.row_of(context);
    if (at < 0) return;
    const QModelIndex index = proxy_->mapFromSource(model_.index(at, 0));
    if (index.isValid() && index.row() != table_->currentIndex().row()) table_->selectRow(index.row());
  });
  install_chart_menu(*table_->viewport(), {table_, QStringLiteral("Contexts"), [this] { return table_of(*proxy_); }});
}

void ContextsDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"inventory-12", "inventory", "1,999", "9.9 MiB", "remote", "streaming_llm 75 %", "99.99",
                        "≈ 0.999", "0.999 (99)", "999.9 ms", "999.9 ms (99)", "least utility drop 0.012; next best"});
}

void ContextsDock::set_theme(const Theme&) {
  table_->viewport()->update();
}

}  // namespace kvantage
