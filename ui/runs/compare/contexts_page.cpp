#include "ui/runs/compare/contexts_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

ContextsPage::ContextsPage(RunComparisonModel& source, ForestModel& forest, QWidget* parent)
    : QWidget(parent), source_(source), metric_(new QComboBox), scatter_(new ContextScatter(source, forest)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* label = new QLabel(tr("Metric"));
  label->setProperty("muted", true);
  label->setBuddy(metric_);
  metric_->setAccessibleName(tr("Metric by context"));
  metric_->setToolTip(tr("Metric whose values by context are shown; Enter in the plot at the left chooses it, too"));
  metric_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  metric_->setMinimumContentsLength(12);
  row->addWidget(label);
  row->addWidget(metric_, 1);
  column->addLayout(row);
  column->addWidget(scatter_, 1);
  connect(metric_, &QComboBox::currentIndexChanged, this,
          [this] { scatter_->set_metric(metric_->currentData().toString()); });
  connect(&forest, &QAbstractItemModel::modelReset, this, &ContextsPage::fill);
}

bool ContextsPage::show_metric(const QString& name) {
  const int at = metric_->findData(name);
  if (at >= 0) metric_->setCurrentIndex(at);
  return at >= 0;
}

void ContextsPage::fill() {
  const QString shown = metric_->currentData().toString();
  {
    const QSignalBlocker quiet(metric_);
    metric_->clear();
    for (const ComparedMetric& metric : source_.comparison().metrics)
      if (source_.details().contexts.contains(metric.name)) metric_->addItem(core_text(metric.name), to_q(metric.name));
    metric_->setCurrentIndex(std::max(0, metric_->findData(shown)));
  }
  scatter_->set_metric(metric_->currentData().toString());
}

}  // namespace kvantage
