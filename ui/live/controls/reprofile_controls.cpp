#include "ui/live/controls/reprofile_controls.h"

#include <cmath>

#include "ui/text/words.h"

namespace kvantage {
namespace {

using Kind = ReprofileRule::Kind;

/// As settings have it; lessons choose by it in every language.
QString id_of(Kind kind) { return QString::fromLatin1(to_string(kind)); }

QString name_of(Kind kind) {
  switch (kind) {
    case Kind::below:
      return ReprofileControls::tr("fixed quality");
    case Kind::relative:
      return ReprofileControls::tr("share of profile");
    case Kind::absolute:
      return ReprofileControls::tr("difference from profile");
  }
  return {};
}

QString tip_of(Kind kind) {
  switch (kind) {
    case Kind::below:
      return ReprofileControls::tr(
          "A context has drifted when the quality of its answers (0 to 1) falls below this,\nwhatever its profile "
          "says");
    case Kind::relative:
      return ReprofileControls::tr(
          "A context has drifted when the quality of its answers falls below its profile by more than this,\nin "
          "percent of the profiled quality (default: 30)");
    case Kind::absolute:
      return ReprofileControls::tr(
          "A context has drifted when the quality of its answers falls below its profile by more than this,\nas a "
          "difference of qualities (0 to 1)");
  }
  return {};
}

/// Of what the threshold shows: percent of a share, else the quality itself.
double scale_of(Kind kind) { return kind == Kind::relative ? 100 : 1; }

/// In thousandths, as they are typed: 12.3 / 100 is not 0.123 to the last bit.
double bound_of(Kind kind, double shown) { return std::round(1000 / scale_of(kind) * shown) / 1000; }

}  // namespace

QString reprofile_rule_text(const ReprofileRule& rule) {
  const QString value = number_text(scale_of(rule.kind) * rule.bound);
  switch (rule.kind) {
    case Kind::below:
      return ReprofileControls::tr("drift threshold: quality %1").arg(value);
    case Kind::relative:
      return ReprofileControls::tr("drift threshold %1 %").arg(value);
    case Kind::absolute:
      return ReprofileControls::tr("drift threshold: %1 below profile").arg(value);
  }
  return {};
}

ReprofileControls::ReprofileControls(QFormLayout& form, QObject* parent)
    : QObject(parent),
      rule_(new QComboBox),
      threshold_(new QDoubleSpinBox),
      assume_loss_(new QCheckBox(tr("Assume loss until re-profiled"))),
      share_(new QDoubleSpinBox) {
  rule_->setAccessibleName(tr("Drift rule"));
  rule_->setToolTip(
      tr("What the quality of answers is compared with. EvicPress can be read in these three ways (sections 4.1 and "
         "4.3)."));
  for (const Kind kind : {Kind::relative, Kind::absolute, Kind::below}) {
    rule_->addItem(name_of(kind), id_of(kind));
    rule_->setItemData(rule_->count() - 1, tip_of(kind), Qt::ToolTipRole);
  }
  rule_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  rule_->setMinimumContentsLength(8);
  threshold_->setKeyboardTracking(false);
  threshold_->setAccessibleName(tr("Drift threshold"));
  form.addRow(tr("Drift rule"), rule_);
  form.addRow(tr("Drift threshold"), threshold_);
  add_limits(form);
  show_rule({});
  connect(rule_, &QComboBox::activated, this, [this] {
    for (const Kind kind : {Kind::relative, Kind::absolute, Kind::below})
      if (id_of(kind) == rule_->currentData().toString() && kind != shown_.kind)
        return emit chosen({kind, last_bound(kind)}, QString());
  });
  connect(threshold_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    if (!showing_) emit chosen({shown_.kind, bound_of(shown_.kind, value)}, QStringLiteral("threshold"));
  });
}

void ReprofileControls::add_limits(QFormLayout& form) {
  assume_loss_->setAccessibleName(tr("Assume loss until re-profiled"));
  assume_loss_->setToolTip(
      tr("Until a drifted context is re-profiled, plans assume that its compressed forms lost the share of quality\n"
         "that its answers lost. Off: its curve stays until then."));
  form.addRow(assume_loss_);
  share_->setRange(0, 100);
  share_->setDecimals(1);
  share_->setSingleStep(5);
  share_->setSuffix(tr(" % of busy time"));
  share_->setKeyboardTracking(false);
  share_->setAccessibleName(tr("Share of re-profiling"));
  share_->setToolTip(
      tr("Maximum share of the engine's busy time for re-profiling, in percent (default: 5). At 0 drift is found,\n"
         "but nothing is re-profiled; at 100 there is no limit."));
  form.addRow(tr("Re-profiling"), share_);
  connect(assume_loss_, &QCheckBox::clicked, this, &ReprofileControls::lossAssumed);
  connect(share_, &QDoubleSpinBox::valueChanged, this, [this](double percent) {
    if (!showing_) emit shareChosen(bound_of(Kind::relative, percent));
  });
}

void ReprofileControls::show_limits(bool assume_loss, double share) {
  showing_ = true;
  assume_loss_->setChecked(assume_loss);
  share_->setValue(100 * share);
  showing_ = false;
}

void ReprofileControls::show_unit(ReprofileRule::Kind kind) {
  const bool percent = kind == Kind::relative;
  threshold_->setRange(0, scale_of(kind));
  threshold_->setDecimals(percent ? 1 : 3);
  threshold_->setSingleStep(percent ? 5 : 0.05);
  threshold_->setPrefix(kind == Kind::below ? tr("quality below ") : QString());
  threshold_->setSuffix(percent ? tr(" % below profile") : kind == Kind::absolute ? tr(" below profile") : QString());
  threshold_->setToolTip(tip_of(kind));
}

void ReprofileControls::show_rule(const ReprofileRule& rule) {
  showing_ = true;
  shown_ = rule;
  last_bound(rule.kind) = rule.bound;
  rule_->setCurrentIndex(rule_->findData(id_of(rule.kind)));
  show_unit(rule.kind);
  threshold_->setValue(scale_of(rule.kind) * rule.bound);
  showing_ = false;
}

void ReprofileControls::set_enabled(bool enabled) {
  rule_->setEnabled(enabled);
  threshold_->setEnabled(enabled);
  assume_loss_->setEnabled(enabled);
  share_->setEnabled(enabled);
}

}  // namespace kvantage
