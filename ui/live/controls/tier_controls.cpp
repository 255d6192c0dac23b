#include "ui/live/controls/tier_controls.h"

#include <QGridLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {
constexpr double mebibyte = 1048576.0, megabyte = 1e6;
constexpr double smallest_budget = 65536;  // less holds no cache; 0 would be none

double largest_budget(double all_bytes) { return std::max(all_bytes * 1.25, 2 * smallest_budget); }
}  // namespace

TierControls::TierControls(const QString& tier, QWidget* parent)
    : QGroupBox(tier, parent),
      budget_(new LogSlider(tr("%1 budget").arg(tier), QStringLiteral("MiB"), mebibyte, 2)),
      use_(plain_label()),
      speed_note_(plain_label()),
      speed_(new QComboBox),
      throttle_row_(new StackingRow(6)),
      bandwidth_(new QDoubleSpinBox),
      latency_(new QDoubleSpinBox),
      faults_label_(new QLabel(tr("Faults"))),
      faults_(new FaultControls(tier)),
      price_label_(new QLabel(tr("Price"))),
      price_(new QDoubleSpinBox) {
  setting_.name = from_q(tier);
  budget_->set_smallest(smallest_budget);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 2, 0, 2);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  grid->addWidget(new QLabel(tr("Budget")), 0, 0);
  grid->addWidget(budget_, 0, 1);
  budget_->set_tip(tr("Budget of %1, in MiB including headers, or in percent of all contexts uncompressed, like 40%.\n"
                      "Dragging previews the prediction; releasing applies it.")
                       .arg(tier));
  use_->setProperty("muted", true);
  for (QLabel* label : {use_, speed_note_}) label->setWordWrap(true);
  grid->addWidget(use_, 1, 1);
  add_speed(*grid, tier);
  grid->addWidget(faults_label_, 5, 0, Qt::AlignTop);
  grid->addWidget(faults_, 5, 1);
  faults_label_->setBuddy(&faults_->preset());
  faults_label_->hide();
  faults_->hide();
  add_price(*grid, tier);
  connect(budget_, &LogSlider::moving, this, [this](double bytes) {
    setting_.budget = static_cast<std::uint64_t>(std::llround(bytes));
    emit moving(setting_);
  });
  connect(budget_, &LogSlider::released, this, [this](double bytes) {
    setting_.budget = static_cast<std::uint64_t>(std::llround(bytes));
    emit released(setting_, QStringLiteral("budget"));
  });
  connect(speed_, &QComboBox::activated, this, [this](int index) {
    if (index == 1 && setting_.throttle.bytes_per_second <= 0) {  // from what the device does
      setting_.throttle.bytes_per_second = measured_bandwidth_ > 0 ? measured_bandwidth_ : 256 * megabyte;
      bandwidth_->setValue(setting_.throttle.bytes_per_second / megabyte);
    }
    speed_changed();
  });
  for (auto* box : {bandwidth_, latency_})
    connect(box, &QDoubleSpinBox::valueChanged, this, [this] { speed_changed(); });
  connect(faults_, &FaultControls::released, this, [this](const std::string& faults) {
    setting_.faults = faults;
    emit released(setting_, QStringLiteral("faults"));
  });
}

void TierControls::add_speed(QGridLayout& grid, const QString& tier) {
  grid.addWidget(new QLabel(tr("Speed")), 2, 0);
  speed_->addItems({tr("full speed"), tr("throttled")});
  speed_->setAccessibleName(tr("%1 speed").arg(tier));
  speed_->setToolTip(
      tr("Full speed: the device as it is. Throttled: limited to the configured bandwidth and latency."));
  grid.addWidget(speed_, 2, 1);
  bandwidth_->setRange(0.1, 1e6);
  bandwidth_->setDecimals(1);
  bandwidth_->setSuffix(QStringLiteral(" MB/s"));
  bandwidth_->setKeyboardTracking(false);
  bandwidth_->setAccessibleName(tr("%1 throttled bandwidth").arg(tier));
  bandwidth_->setToolTip(tr("Load bandwidth limit, in MB/s (1 MB = 1,000,000 bytes)"));
  latency_->setRange(0, 1e5);
  latency_->setDecimals(2);
  latency_->setSuffix(QStringLiteral(" ms"));
  latency_->setKeyboardTracking(false);
  latency_->setAccessibleName(tr("%1 throttled latency").arg(tier));
  latency_->setToolTip(tr("Latency added to each load, in ms"));
  for (QDoubleSpinBox* box : {bandwidth_, latency_}) {
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);  // typed, or moved with the arrow keys
    box->setMinimumWidth(64);
  }
  throttle_row_->add(bandwidth_, 3);
  throttle_row_->add(latency_, 2);
  grid.addWidget(throttle_row_, 3, 1);
  speed_note_->setProperty("muted", true);
  grid.addWidget(speed_note_, 4, 1);
}

void TierControls::add_price(QGridLayout& grid, const QString& tier) {
  constexpr int row = 6;
  grid.addWidget(price_label_, row, 0);
  grid.addWidget(price_, row, 1, Qt::AlignLeft);
  price_label_->setBuddy(price_);
  price_->setRange(0, TierPrices::max_price);
  price_->setDecimals(3);
  price_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  price_->setSuffix(tr(" per GiB"));
  price_->setSpecialValueText(tr("free"));
  price_->setKeyboardTracking(false);
  price_->setButtonSymbols(QAbstractSpinBox::NoButtons);  // as the boxes of the throttle
  price_->setMinimumWidth(64);
  price_->setAccessibleName(tr("%1 price").arg(tier));
  price_->setToolTip(
      tr("Price of 1 GiB of this tier's budget, relative to other tiers; 0: free. Targets of the Frontier look for the "
         "cheapest plan.\nIf all tiers are free, the cost is the sum of the budgets."));
  price_label_->hide();
  price_->hide();
  connect(price_, &QDoubleSpinBox::valueChanged, this, [this](double price) {
    if (!showing_ && prices_ != nullptr) prices_->set_price(to_q(setting_.name), price);
  });
}

void TierControls::set_prices(TierPrices& prices) {
  prices_ = &prices;
  connect(&prices, &TierPrices::changed, this, &TierControls::show_price);
  price_label_->show();
  price_->show();
  show_price();
}

void TierControls::show_price() {
  if (prices_ == nullptr) return;
  const bool before = std::exchange(showing_, true);
  price_->setValue(prices_->price(setting_));
  showing_ = before;
}

void TierControls::speed_changed() {
  if (showing_) return;
  const bool throttled = speed_->currentIndex() == 1;
  throttle_row_->setVisible(throttled);
  setting_.throttle.bytes_per_second = throttled ? bandwidth_->value() * megabyte : 0;
  setting_.throttle.latency_seconds = throttled ? latency_->value() / 1000 : 0;
  emit released(setting_, QStringLiteral("speed"));
}

void TierControls::show_setting(const TierConfig& setting) {
  showing_ = true;
  setting_ = setting;
  budget_->setEnabled(!setting.budget.is_unlimited());
  show_budget();
  const bool throttled = setting.throttle.any();
  speed_->setCurrentIndex(throttled ? 1 : 0);
  throttle_row_->setVisible(throttled);
  if (throttled) {
    bandwidth_->setValue(setting.throttle.bytes_per_second / megabyte);
    latency_->setValue(setting.throttle.latency_seconds * 1000);
  }
  faults_label_->setVisible(kind_of(setting).supports_fault_injection());
  faults_->setVisible(kind_of(setting).supports_fault_injection());
  faults_->show_faults(setting.faults);
  show_price();  // by the kind of tier
  showing_ = false;
}

void TierControls::show_budget() {
  // Where there is no limit the slider rests at its end, which is more than all contexts need.
  if (!setting_.budget.is_unlimited())
    budget_->set_value(static_cast<double>(setting_.budget.bytes()));
  else if (range_bytes_ > 0)
    budget_->set_value(largest_budget(range_bytes_));
}

void TierControls::forget_use() {
  used_bytes_ = 0;
  use_->setText(tr("– in use"));
  use_->setToolTip(tr("Usage is not recorded up to this time"));
  speed_note_->setText(tr("not fitted yet"));
}

void TierControls::show_use(std::uint64_t used_bytes, std::uint64_t all_bytes, const TierState& state) {
  used_bytes_ = used_bytes;
  if (!state.throttled) measured_bandwidth_ = state.model.bytes_per_second;
  if (all_bytes > 0) {
    const double all = static_cast<double>(all_bytes);
    budget_->set_whole(all);
    if (all != range_bytes_) {  // once: a range that followed what is typed beyond it would throw that out again
      range_bytes_ = all;
      budget_->set_range(std::max(all / 200, smallest_budget), largest_budget(all));
    }
    show_budget();
  }
  use_->setText(tr("%1 in use").arg(bytes_text(static_cast<double>(used_bytes))));
  use_->setToolTip(
      tr("Bytes in use (measured); all contexts uncompressed need %1").arg(bytes_text(static_cast<double>(all_bytes))));
  const bool fitted = state.model.bytes_per_second > 1;
  speed_note_->setText(
      !fitted ? tr("not fitted yet")
              : (state.throttled ? tr("fitted, throttled: %1, %2") : tr("fitted: %1, %2"))
                    .arg(rate_text(state.model.bytes_per_second), seconds_text(state.model.latency_seconds)));
  speed_note_->setToolTip(tr("Bandwidth and latency fitted from live loads, as used by predictions"));
}

}  // namespace kvantage
