#include "ui/live/controls/arrival_controls.h"

#include <QFormLayout>

#include "ui/text/words.h"

namespace kvantage {

ArrivalControls::ArrivalControls(SettingsController& settings, QWidget* parent)
    : QGroupBox(tr("Arrivals"), parent),
      settings_(settings),
      rate_(new QDoubleSpinBox),
      reprofile_(new QCheckBox(tr("Re-profile on drift"))) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 2, 0, 2);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);  // for large text
  rate_->setRange(0, 10000);
  rate_->setDecimals(4);  // of a slow machine in a regime
  rate_->setSingleStep(0.5);
  rate_->setSpecialValueText(tr("closed loop (back-to-back)"));
  rate_->setSuffix(tr(" requests/s"));
  rate_->setKeyboardTracking(false);
  rate_->setAccessibleName(tr("Arrival rate"));
  rate_->setToolTip(
      tr("Mean arrival rate, in requests/s. At 0 the next request arrives when the previous one finishes."));
  form->addRow(tr("Rate"), rate_);
  reprofile_->setAccessibleName(tr("Re-profile on drift"));
  reprofile_->setToolTip(tr("Re-profiles a context on its latest questions when its answers fall below its profile"));
  form->addRow(reprofile_);
  drift_ = new ReprofileControls(*form, this);
  connect(drift_, &ReprofileControls::chosen, this, [this](const ReprofileRule& rule, const QString& control) {
    SessionSettings changed = settings_.committed();
    changed.reprofile_when = rule;
    settings_.commit(changed, reprofile_rule_text(rule), control);
  });
  connect(drift_, &ReprofileControls::lossAssumed, this, [this](bool wanted) {
    SessionSettings changed = settings_.committed();
    changed.assume_loss = wanted;
    settings_.commit(changed, wanted ? tr("assume loss until re-profiled") : tr("keep curves until re-profiled"),
                     QString());
  });
  connect(drift_, &ReprofileControls::shareChosen, this, [this](double share) {
    SessionSettings changed = settings_.committed();
    changed.reprofile_share = share;
    settings_.commit(changed, tr("re-profiling: %1 % of busy time").arg(number_text(100 * share)),
                     QStringLiteral("reprofile_share"));
  });
  connect(rate_, &QDoubleSpinBox::valueChanged, this, [this](double rate) {
    if (showing_) return;
    SessionSettings changed = settings_.committed();
    changed.requests_per_second = rate;
    settings_.commit(changed, tr("arrival rate %1").arg(number_text(rate)), QStringLiteral("rate"));
  });
  connect(reprofile_, &QCheckBox::clicked, this, [this](bool wanted) {
    SessionSettings changed = settings_.committed();
    changed.reprofile = wanted;
    settings_.commit(changed, wanted ? tr("re-profile on drift") : tr("keep profiles"), QString());
  });
}

void ArrivalControls::show_settings(const SessionSettings& settings) {
  showing_ = true;
  rate_->setValue(settings.requests_per_second);
  reprofile_->setChecked(settings.reprofile);
  drift_->show_rule(settings.reprofile_when);
  drift_->show_limits(settings.assume_loss, settings.reprofile_share);
  drift_->set_enabled(settings.reprofile);
  showing_ = false;
}

}  // namespace kvantage
