#include "ui/live/controls/profiling_controls.h"

#include <QFormLayout>

#include <cmath>

namespace kvantage {
namespace {

void set_up_profiling_box(QComboBox& box, const QString& name, const QString& tip) {
  box.setAccessibleName(name);
  box.setToolTip(tip);
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMinimumContentsLength(8);
}

}  // namespace

ProfilingControls::ProfilingControls(SettingsController& settings, QWidget* parent)
    : QGroupBox(tr("Profiling"), parent),
      settings_(settings),
      grid_(new QComboBox),
      bound_(new QComboBox),
      good_enough_(new QDoubleSpinBox) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 2, 0, 2);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);  // for large text
  grid_->addItem(tr("every cell"), static_cast<int>(ProfileGridKind::full));
  grid_->addItem(tr("anytime"), static_cast<int>(ProfileGridKind::racing));
  set_up_profiling_box(
      *grid_, tr("Quality curves"),
      tr("Every cell: each method and removed fraction on every profile question.\nAnytime: a coarse curve of every "
         "context first, then what plans depend on, until it is good enough."));
  bound_->addItem(tr("mean"), static_cast<int>(QualityBound::mean));
  bound_->addItem(tr("lower bound"), static_cast<int>(QualityBound::lower));
  set_up_profiling_box(*bound_, tr("Quality in plans"),
                       tr("Lower bound: plans take the lower end of the 95 % interval of each quality, so that few "
                          "answers count for less than many."));
  good_enough_->setRange(0, 100);
  good_enough_->setDecimals(1);
  good_enough_->setSingleStep(0.5);
  good_enough_->setSuffix(tr(" %"));
  good_enough_->setKeyboardTracking(false);
  good_enough_->setAccessibleName(tr("Good enough"));
  good_enough_->setToolTip(
      tr("Anytime profiling ends when more answers could raise the utility of the plan by no more than this,\nin "
         "percent of it, with 95 % confidence (default: 1). 0: it measures all that a plan can depend on."));
  form->addRow(tr("Quality curves"), grid_);
  form->addRow(tr("Good enough"), good_enough_);
  form->addRow(tr("Quality in plans"), bound_);
  connect(grid_, &QComboBox::activated, this, [this](int index) {
    SessionSettings changed = settings_.committed();
    changed.profile_grid = static_cast<ProfileGridKind>(grid_->itemData(index).toInt());
    settings_.commit(changed, tr("quality curves: %1").arg(grid_->itemText(index)), QString());
  });
  connect(good_enough_, &QDoubleSpinBox::valueChanged, this, [this](double percent) {
    if (showing_) return;
    SessionSettings changed = settings_.committed();
    changed.good_enough = std::round(10 * percent) / 1000;  // in thousandths, as it is typed
    settings_.commit(changed, tr("good enough: %1").arg(good_enough_->text()), QStringLiteral("good_enough"));
  });
  connect(bound_, &QComboBox::activated, this, [this](int index) {
    SessionSettings changed = settings_.committed();
    changed.quality_bound = static_cast<QualityBound>(bound_->itemData(index).toInt());
    settings_.commit(changed, tr("quality in plans: %1").arg(bound_->itemText(index)), QString());
  });
}

void ProfilingControls::show_settings(const SessionSettings& settings) {
  grid_->setCurrentIndex(grid_->findData(static_cast<int>(settings.profile_grid)));
  bound_->setCurrentIndex(bound_->findData(static_cast<int>(settings.quality_bound)));
  showing_ = true;
  good_enough_->setValue(100 * settings.good_enough);
  good_enough_->setEnabled(settings.profile_grid == ProfileGridKind::racing);
  showing_ = false;
}

}  // namespace kvantage
