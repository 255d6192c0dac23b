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
    : QObject(parent), rule_(new QComboBox), threshold_(new QDoubleSpinBox) {
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
}

}  // namespace kvantage
