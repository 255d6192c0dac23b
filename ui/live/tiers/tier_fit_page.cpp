#include "ui/live/tiers/tier_fit_page.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {

TierFitPage::TierFitPage(TierReportsModel& model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      choice_(new QComboBox),
      fit_(plain_label()),
      residuals_(plain_label()),
      chart_(new TierFitChart(model)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  choice_->setAccessibleName(tr("Tier"));
  choice_->setToolTip(tr("Tier whose loads and fit are shown"));
  row->addWidget(choice_);
  row->addWidget(fit_, 1);
  column->addLayout(row);
  residuals_->setProperty("muted", true);
  residuals_->setContentsMargins(9, 0, 8, 2);
  residuals_->setWordWrap(true);
  fit_->setToolTip(
      tr("Cost model fitted from the loads below, as used by predictions. Excludes unpacking into the cache."));
  column->addWidget(residuals_);
  column->addWidget(chart_, 1);
  lazy_ = new LazyRefresh(
      *this, [this] { update_text(); }, 150);
  connect(&model_, &TierReportsModel::changed, this, [this] { lazy_->invalidate(); });
  connect(choice_, &QComboBox::currentTextChanged, this, [this](const QString& tier) {
    chart_->set_tier(tier);
    update_text();
  });
  lazy_->invalidate();
}

void TierFitPage::update_text() {
  QStringList names, shown;
  for (const QString& name : model_.names()) names << name;
  for (int i = 0; i < choice_->count(); ++i) shown << choice_->itemText(i);
  if (names != shown) {
    const QSignalBlocker quiet(choice_);
    const QString kept = choice_->currentText();
    choice_->clear();
    choice_->addItems(names);
    // The slower tiers are what a fit is looked at for.
    choice_->setCurrentIndex(names.contains(kept) ? static_cast<int>(names.indexOf(kept)) : choice_->count() - 1);
  }
  choice_->setVisible(!names.isEmpty());
  const QString tier = choice_->currentText();
  if (chart_->tier() != tier) chart_->set_tier(tier);
  const TierReport* report = model_.find(tier);
  const bool throttled = report && report->description.throttled;
  fit_->setText(throttled ? tr("%1 (throttled)").arg(model_.fit_text(tier)) : model_.fit_text(tier));
  residuals_->setText(model_.residual_text(tier));
  QString tip = tr("Residual: |device time − fitted time| / device time, over the latest live loads (at most 64)");
  if (report && report->fit.predicted.loads > 0)
    tip += '\n' + tr("Predicted before each of %n load(s): %1 (median), %2 (p95)", nullptr,
                     static_cast<int>(report->fit.predicted.loads))
                      .arg(percent_text(report->fit.predicted.median_fraction),
                           percent_text(report->fit.predicted.p95_fraction));
  residuals_->setToolTip(tip);
}

}  // namespace kvantage
