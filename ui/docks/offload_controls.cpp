#include "ui/docks/offload_controls.h"

#include <QFormLayout>
#include <algorithm>

#include "core/ports/decode_offload.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

QString split_name(SplitMode split) {
  switch (split) {
    case SplitMode::solved:
      return OffloadControls::tr("solved for each token");
    case SplitMode::load_only:
      return OffloadControls::tr("loading only");
    case SplitMode::recompute_only:
      return OffloadControls::tr("recompute only");
  }
  return {};
}

}  // namespace

QString decode_offload_text(const std::string& setting) {
  const auto parsed = parse_decode_offload(setting);
  if (!parsed || !*parsed) return OffloadControls::tr("off");
  return QStringLiteral("%1, %2").arg(to_q((*parsed)->tier), split_name((*parsed)->split));
}

OffloadControls::OffloadControls(QWidget* parent) : QWidget(parent), tier_(new QComboBox), split_(new QComboBox) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 2, 0, 2);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  tier_->setAccessibleName(tr("Tier of decode offload"));
  tier_->setToolTip(
      tr("KVPR: contexts are on this tier while their answers are decoded, and memory holds one layer at a time.\nEach "
         "request prefills its context, because stored entries hold no layer inputs. Answers do not change."));
  split_->setAccessibleName(tr("Split of decode offload"));
  split_->setToolTip(tr(
      "How each layer's keys and values are obtained for a token: the first ones recomputed from layer inputs while\n"
      "the rest loads, all loaded, or all recomputed. A split needs layer inputs shorter than keys and values."));
  for (const SplitMode split : {SplitMode::solved, SplitMode::load_only, SplitMode::recompute_only})
    split_->addItem(split_name(split), static_cast<int>(split));
  for (QComboBox* combo : {tier_, split_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::activated, this, &OffloadControls::choose);
  }
  form->addRow(tr("Offload"), tier_);
  form->addRow(tr("Split"), split_);
  show_settings({});
}

void OffloadControls::choose() {
  const QString tier = tier_->currentData().toString();
  if (tier.isEmpty()) return emit chosen("none");
  const DecodeOffloadSetting setting{.tier = from_q(tier),
                                     .split = static_cast<SplitMode>(split_->currentData().toInt())};
  emit chosen(setting.text());
}

// Without a tier the split stays as it is shown: it may be chosen first.
void OffloadControls::show_settings(const SessionSettings& settings) {
  const auto parsed = parse_decode_offload(settings.decode_offload);
  if (!parsed) return;
  QStringList names{QString()}, shown;
  for (const TierConfig& tier : settings.tiers)
    if (!kind_of(tier).is_shared) names << to_q(tier.name);
  for (int i = 0; i < tier_->count(); ++i) shown << tier_->itemData(i).toString();
  if (names != shown) {
    tier_->clear();
    for (const QString& name : names) tier_->addItem(name.isEmpty() ? tr("none") : name, name);
  }
  tier_->setCurrentIndex(*parsed ? std::max(0, tier_->findData(to_q((*parsed)->tier))) : 0);
  if (*parsed) split_->setCurrentIndex(split_->findData(static_cast<int>((*parsed)->split)));
}

}  // namespace kvantage
