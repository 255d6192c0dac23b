#include "ui/live/tiers/hit_rates_dock.h"

#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/widgets/current_page.h"

namespace kvantage {

HitRatesDock::HitRatesDock(RunModel& run, QWidget* parent)
    : QWidget(parent),
      chart_(new HitRateChart(run.hit_rates)),
      curve_(new MissCurveChart(run.references, run.tiers, run.hit_rates)) {
  chart_->follow(run.requests, run.selection);
  setObjectName("dockBody");
  auto* pages = new QTabWidget;
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 5, 0, 0);
  whole->addWidget(pages);
  pages->setDocumentMode(true);
  pages->setElideMode(Qt::ElideRight);
  pages->setUsesScrollButtons(false);
  pages->addTab(chart_, tr("Rates"));
  pages->addTab(curve_, tr("By size"));
  pages->setTabToolTip(0, tr("Share of requests, tokens or bytes served from each tier (measured)"));
  pages->setTabToolTip(1, tr("Miss ratio of an LRU cache of any size on these requests (simulated), versus the "
                             "budgets"));
  QWidget* choices = make_choices();
  pages->setCornerWidget(choices);  // beside the tabs: the chart keeps the height
  connect(pages, &QTabWidget::currentChanged, choices, [choices](int page) { choices->setVisible(page == 0); });
  ask_for_current_page_only(*pages);
}

// How the rates over time are counted.
QWidget* HitRatesDock::make_choices() {
  auto* choices = new QWidget;
  auto* row = new QHBoxLayout(choices);
  row->setContentsMargins(0, 0, 8, 0);
  row->setSpacing(4);
  auto* measure = new QComboBox;
  measure->addItems({tr("by requests"), tr("by tokens"), tr("by bytes")});
  measure->setAccessibleName(tr("Hit rate measure"));
  measure->setToolTip(tr("Hit rate in requests, in context tokens, or in bytes served"));
  auto* window = new QSpinBox;
  window->setRange(2, 1000);
  window->setValue(chart_->window_requests());
  window->setSuffix(tr(" requests"));
  window->setAccessibleName(tr("Window"));
  window->setToolTip(tr("Length of the sliding window, in requests"));
  measure->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  measure->setMinimumContentsLength(5);
  row->addWidget(measure);
  row->addWidget(window);
  connect(measure, &QComboBox::currentIndexChanged, this,
          [this](int index) { chart_->set_measure(static_cast<HitRateModel::Measure>(index)); });
  connect(window, &QSpinBox::valueChanged, this, [this](int requests) { chart_->set_window(requests); });
  return choices;
}

}  // namespace kvantage
