#include "ui/live/tiers/tier_counters_page.h"

#include <QVBoxLayout>

#include "ui/live/tiers/model/tier_counter_names.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

TierCountersPage::TierCountersPage(TierReportsModel& model, QWidget* parent)
    : QWidget(parent),
      rows_(new TierCountersTable(model, this)),
      view_(new QTableView),
      empty_(new QLabel(tr("No counters yet. Tiers are opened while the model loads."))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setProperty("muted", true);
  view_->setModel(rows_);
  view_->setAccessibleName(tr("Tier counters"));
  view_->setToolTip(tr("Reads, writes, bytes and misses by reason of each tier since it was opened"));
  show_as_rows(*view_);
  column->addWidget(empty_, 1);
  column->addWidget(view_, 1);
  view_->hide();
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        rows_->refresh();
        empty_->setVisible(rows_->rowCount() == 0);
        view_->setVisible(rows_->rowCount() > 0);
      },
      250);
  connect(&model, &TierReportsModel::changed, this, [this] { lazy_->invalidate(); });
  install_chart_menu(*view_, {this, tr("Tier counters"), [this] { return table(); }});
  lazy_->invalidate();
}

void TierCountersPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*view_, {"archive", counter_name("device_held_bytes"), "1023.9 MiB", counter_reason("unavailable"), ""});
}

ChartTable TierCountersPage::table() const {
  ChartTable table{{"tier", "counter", "reason", "value", "meaning"}, {}};
  for (const TierReportsModel::Counter& row : rows_->rows())
    table.rows.append({row.tier, row.what, row.reason, QString::number(row.count), row.meaning});
  return table;
}

}  // namespace kvantage
