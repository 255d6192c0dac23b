#include "ui/live/frontier/target_bar.h"

#include <QHBoxLayout>
#include <QSettings>
#include <QVBoxLayout>
#include <cmath>

#include "ui/widgets/plain_label.h"
#include "ui/widgets/stacking_row.h"

namespace kvantage {
namespace {
constexpr double target_millisecond = 1e-3;
}  // namespace

TargetBar::TargetBar(FrontierTargets& targets, QWidget* parent)
    : QWidget(parent),
      targets_(targets),
      quality_(new QDoubleSpinBox),
      ttft_(new QDoubleSpinBox),
      ttft_of_(new QComboBox),
      clear_(button(tr("Clear targets"), tr("Clear both targets"))),
      use_(button(tr("Use these settings"), tr("Set α and the budgets of the cheapest plan, as one undo step"))),
      answer_(plain_label()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(11, 3, 10, 5);
  column->setSpacing(3);
  quality_->setRange(0, 1);
  quality_->setDecimals(3);
  quality_->setSingleStep(0.01);
  quality_->setAccessibleName(tr("Target quality"));
  quality_->setToolTip(
      tr("The predicted mean quality that a plan must reach, 0 to 1; 0: none. Its line can be dragged "
         "on the chart."));
  ttft_->setRange(0, 1e7);
  ttft_->setDecimals(2);
  ttft_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  ttft_->setSuffix(QStringLiteral(" ms"));
  ttft_->setAccessibleName(tr("Target TTFT"));
  ttft_->setToolTip(
      tr("The predicted TTFT without queueing that a plan may have, in ms; 0: none. The line of a mean can be dragged "
         "on the chart."));
  ttft_of_->addItems({tr("Mean TTFT ≤"), tr("TTFT p95 ≤")});
  ttft_of_->setAccessibleName(tr("TTFT that the target limits"));
  ttft_of_->setToolTip(
      tr("Mean: over requests. p95: 95 % of the requests are for contexts with at most this predicted TTFT; it has no "
         "line on the chart, whose axis is the mean."));
  connect(ttft_of_, &QComboBox::currentIndexChanged, this, &TargetBar::edited);
  for (QDoubleSpinBox* box : {quality_, ttft_}) {
    box->setSpecialValueText(tr("none"));
    box->setKeyboardTracking(false);
    connect(box, &QDoubleSpinBox::valueChanged, this, &TargetBar::edited);
  }
  auto* row = new StackingRow(10);
  auto* quality_label = new QLabel(tr("Quality ≥"));
  quality_label->setBuddy(quality_);
  row->add(field(*quality_label, *quality_), 0);
  row->add(field(*ttft_of_, *ttft_), 0);
  row->add(clear_, 0);
  row->add(use_, 0);
  row->add(new QWidget, 1);  // what is left
  column->addWidget(row);
  answer_->setWordWrap(true);
  answer_->setAccessibleName(tr("Cheapest plan"));
  answer_->setToolTip(
      tr("Predicted by the policy for the steady state. Budgets from 1/8 to 8 times the present ones are "
         "tried with 24 values of α.\nCost: sum over tiers of price × budget; prices are set in "
         "Controls. p95: over requests, by the predicted TTFT of their contexts."));
  column->addWidget(answer_);
  connect(clear_, &QToolButton::clicked, this, [this] { targets_.set_target({.ttft_of = targets_.target().ttft_of}); });
  connect(use_, &QToolButton::clicked, this, [this] { targets_.use(); });
  connect(&targets_, &FrontierTargets::targetChanged, this, &TargetBar::show_target);
  connect(&targets_, &FrontierTargets::answerChanged, this, &TargetBar::show_answer);
  show_target();
  show_answer();
}

void TargetBar::keep_in(QSettings& settings, const QString& key) {
  PlanTarget target = targets_.target();
  target.ttft_of = settings.value(key).toString() == QLatin1String("p95") ? TargetTtft::p95 : TargetTtft::mean;
  targets_.set_target(target);
  connect(ttft_of_, &QComboBox::activated, this, [&settings, key](int row) {
    settings.setValue(key, row == static_cast<int>(TargetTtft::p95) ? QStringLiteral("p95") : QStringLiteral("mean"));
  });
}

QWidget* TargetBar::field(QWidget& name, QDoubleSpinBox& box) {
  auto* part = new QWidget;
  auto* row = new QHBoxLayout(part);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(&name);
  row->addWidget(&box);
  return part;
}

QToolButton* TargetBar::button(const QString& text, const QString& tip) {
  auto* made = new QToolButton;
  made->setText(text);
  made->setAccessibleName(text);
  made->setToolTip(tip);
  made->setProperty("framed", true);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

void TargetBar::edited() {
  if (showing_) return;
  PlanTarget target{.ttft_of = static_cast<TargetTtft>(ttft_of_->currentIndex())};
  if (quality_->value() > 0) target.quality = quality_->value();
  if (ttft_->value() > 0) target.ttft_seconds = ttft_->value() * target_millisecond;
  // What the field rounds for show was not moved by hand.
  const PlanTarget& before = targets_.target();
  if (before.ttft_seconds && std::abs(*before.ttft_seconds / target_millisecond - ttft_->value()) < 0.005)
    target.ttft_seconds = before.ttft_seconds;
  targets_.set_target(target);
}

void TargetBar::show_target() {
  showing_ = true;
  const PlanTarget& target = targets_.target();
  quality_->setValue(target.quality.value_or(0));
  ttft_->setValue(target.ttft_seconds.value_or(0) / target_millisecond);
  ttft_of_->setCurrentIndex(static_cast<int>(target.ttft_of));
  clear_->setEnabled(target.any());
  showing_ = false;
}

void TargetBar::show_answer() {
  const QString text = targets_.text();
  answer_->setText(text);
  answer_->setVisible(!text.isEmpty());
  use_->setEnabled(targets_.answer() && targets_.answer()->plan);
}

}  // namespace kvantage
