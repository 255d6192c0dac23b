#include "ui/live/tiers/hit_rates_dock.h"

#include <QHBoxLayout>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/look/font_scale.h"
#include "ui/widgets/current_page.h"

namespace kvantage {

HitRatesDock::HitRatesDock(RunModel& run, QWidget* parent)
    : QWidget(parent),
      chart_(new HitRateChart(run.hit_rates)),
      curve_(new MissCurveChart(run.references, run.tiers, run.hit_rates)),
      pages_(new QTabWidget),
      choices_(make_choices()) {
  chart_->follow(run.requests, run.selection);
  setObjectName("dockBody");
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 5, 0, 0);
  whole->addWidget(pages_);
  pages_->setDocumentMode(true);
  pages_->setElideMode(Qt::ElideRight);
  pages_->setUsesScrollButtons(false);
  pages_->addTab(chart_, tr("Rates"));
  pages_->addTab(curve_, tr("By size"));
  pages_->setTabToolTip(0, tr("Share of requests, tokens or bytes served from each tier (measured)"));
  pages_->setTabToolTip(1, tr("Miss ratio of an LRU cache of any size on these requests (simulated), versus the "
                              "budgets"));
  place_choices();
  connect(pages_, &QTabWidget::currentChanged, choices_, [this](int page) { choices_->setVisible(page == 0); });
  ask_for_current_page_only(*pages_);
}

void HitRatesDock::set_theme(const Theme& theme) {
  chart_->set_theme(theme);
  curve_->set_theme(theme);
  place_choices();
}

// Beside the tabs the chart keeps its height; of large text there is more than fits there.
void HitRatesDock::place_choices() {
  constexpr int most_percent_beside = 130;
  const bool beside = font_percent() <= most_percent_beside;
  if (choices_->parentWidget() != nullptr && beside == (pages_->cornerWidget() != nullptr)) return;
  if (beside) {
    layout()->removeWidget(choices_);
    pages_->setCornerWidget(choices_);
  } else {
    pages_->setCornerWidget(nullptr);
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, choices_, 0, Qt::AlignRight);
  }
  choices_->setVisible(pages_->currentIndex() == 0);
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
