#include "ui/runs/metrics_page.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/charts/model_table.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

MetricsPage::MetricsPage(RunMetricsModel& model, QWidget* parent)
    : QWidget(parent), model_(model), title_(new QLabel), text_(new QLineEdit), table_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* back = new QPushButton(tr("← Runs"));
  back->setToolTip(tr("Back to the list of runs"));
  back->setAccessibleName(tr("Back from the metrics to the list of runs"));
  back->setAutoDefault(false);
  text_->setPlaceholderText(tr("Filter metrics"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Filter metrics"));
  text_->setToolTip(tr("Show only metrics that contain this text in any column, such as ttft, hit_rate or ssd"));
  text_->setMaximumWidth(260);
  title_->setProperty("muted", true);
  title_->setTextFormat(Qt::PlainText);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(back);
  row->addWidget(title_, 1);
  row->addWidget(text_);
  column->addLayout(row);

  filter_.setSourceModel(&model_);
  filter_.setFilterKeyColumn(-1);
  filter_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setModel(&filter_);
  table_->setAccessibleName(tr("Metrics of the selected runs"));
  table_->setToolTip(tr("Every metric of the report. Hover over a row for its definition."));
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  column->addWidget(table_, 1);
  empty_ = new EmptyNote(*table_, [this] {
    if (model_.busy()) return tr("Reading the run and computing its metrics…");
    return model_.rowCount() > 0 ? tr("No metric matches the filter. Clear the filter to see all.")
                                 : tr("No run is selected. Go back, select one and press Metrics.");
  });
  install_chart_menu(*table_, {table_, tr("Metrics of runs"), [this] { return table_of(filter_); }});

  connect(back, &QPushButton::clicked, this, &MetricsPage::backRequested);
  connect(text_, &QLineEdit::textChanged, this,
          [this](const QString& text) { filter_.setFilterFixedString(text.trimmed()); });
  const auto update = [this] {
    title_->setText(model_.busy() ? tr("Computing metrics and intervals…") : model_.claim());
    title_->setToolTip(model_.claim());
    empty_->update_text();
  };
  connect(&model_, &RunMetricsModel::busyChanged, this, update);
  connect(&model_, &RunMetricsModel::shown, this, [this, update] {
    update();
    table_->ensurePolished();
    table_->resizeColumnsToContents();
    for (int c = 0; c < filter_.columnCount(); ++c)
      table_->setColumnWidth(c, std::min(table_->columnWidth(c) + 10, 260));
  });
}

}  // namespace kvantage
