#include "ui/live/controls/offload_controls.h"

#include <QFormLayout>
#include <algorithm>
#include <array>

#include "core/ports/decode_offload.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

const QString no_tier = QStringLiteral("none");

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

QString resident_name(ResidentFront front) {
  switch (front) {
    case ResidentFront::nothing:
      return OffloadControls::tr("nothing");
    case ResidentFront::inputs:
      return OffloadControls::tr("layer inputs");
    case ResidentFront::keys_values:
      return OffloadControls::tr("keys and values");
  }
  return {};
}

QString weights_name(WeightLoading loading) {
  switch (loading) {
    case WeightLoading::resident:
      return OffloadControls::tr("in memory");
    case WeightLoading::keys_values_first:
      return OffloadControls::tr("streamed, W_K and W_V first");
    case WeightLoading::whole:
      return OffloadControls::tr("streamed, all before recomputing");
  }
  return {};
}

QString batch_name(OffloadBatch batch) {
  return batch == OffloadBatch::column ? OffloadControls::tr("layer by layer together")
                                       : OffloadControls::tr("each on its own");
}

/// As settings have it; lessons choose by it in every language.
template <class Choice>
QString id_of(Choice choice) {
  return QString::fromLatin1(to_string(choice));
}

/// The one of `all` whose id is chosen.
template <class Choices>
auto chosen_of(const QComboBox& combo, const Choices& all) {
  const QString id = combo.currentData().toString();
  const auto found = std::ranges::find_if(all, [&](auto choice) { return id_of(choice) == id; });
  return found != std::end(all) ? *found : *std::begin(all);
}

constexpr std::array splits{SplitMode::solved, SplitMode::load_only, SplitMode::recompute_only};

/// Of keys and values on the tier; of those with bytes of a fixed length.
const std::vector<std::pair<QString, const char*>>& offload_codecs() {
  static const std::vector<std::pair<QString, const char*>> codecs{
      {QString(), ""}, {QStringLiteral("fp8"), "fp8"}, {QStringLiteral("kivi4"), "kivi4(residual=0)"}};
  return codecs;
}

}  // namespace

QString decode_offload_text(const std::string& setting) {
  const auto parsed = parse_decode_offload(setting);
  if (!parsed || !*parsed) return OffloadControls::tr("off");
  const DecodeOffloadSetting& read = **parsed;
  QStringList parts{to_q(read.tier), split_name(read.split)};
  if (read.resident != ResidentFront::nothing)
    parts << OffloadControls::tr("%1 resident").arg(resident_name(read.resident));
  if (!read.codec.empty()) parts << to_q(read.codec);
  if (read.weights != WeightLoading::resident) parts << OffloadControls::tr("weights streamed");
  if (read.batch != OffloadBatch::separate) parts << batch_name(read.batch);
  return parts.join(QStringLiteral(", "));
}

OffloadControls::OffloadControls(QWidget* parent)
    : QWidget(parent),
      tier_(new QComboBox),
      split_(new QComboBox),
      resident_(new QComboBox),
      codec_(new QComboBox),
      weights_(new QComboBox),
      batch_(new QComboBox) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 2, 0, 2);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  tier_->setAccessibleName(tr("Tier of decode offload"));
  tier_->setToolTip(
      tr("KVPR: contexts are on this tier while their answers are decoded, and memory holds one layer at a time.\nEach "
         "request prefills its context, to record the layer inputs of all its tokens. Stored entries are not read for "
         "this.\nWithout a codec, answers do not change."));
  split_->setAccessibleName(tr("Split of decode offload"));
  split_->setToolTip(tr(
      "How each layer's keys and values are obtained for a token: the first ones recomputed from layer inputs while\n"
      "the rest loads, all loaded, or all recomputed. A split needs layer inputs shorter than keys and values."));
  for (const SplitMode split : splits) split_->addItem(split_name(split), id_of(split));
  resident_->setAccessibleName(tr("Front of decode offload that stays in memory"));
  resident_->setToolTip(tr(
      "What stays in memory of as many tokens as a split would recompute, so that nothing is read for them.\nLayer "
      "inputs: KVPR's row schedule; keys and values are recomputed from them, on any model.\nKeys and values: in the "
      "same bytes, to compare with."));
  for (const ResidentFront front : resident_fronts) resident_->addItem(resident_name(front), id_of(front));
  codec_->setAccessibleName(tr("Codec of decode offload"));
  codec_->setToolTip(
      tr("Encodes keys and values on the tier, so that fewer bytes are read. Answers may change.\nIt needs a split "
         "without layer inputs on the tier: loading only, or resident layer inputs."));
  for (const auto& [name, text] : offload_codecs())
    codec_->addItem(name.isEmpty() ? tr("none") : name, QString::fromLatin1(text));
  weights_->setAccessibleName(tr("Weights of decode offload"));
  weights_->setToolTip(tr(
      "Reads the model's matrices from the tier for every token, too, layer by layer. Prefills use those in memory.\n"
      "W_K and W_V first: recomputation begins while the others arrive."));
  for (const WeightLoading loading : weight_loadings) weights_->addItem(weights_name(loading), id_of(loading));
  batch_->setAccessibleName(tr("Requests side by side of decode offload"));
  batch_->setToolTip(tr(
      "How requests that answer at the same time decode.\nEach on its own: it continues when its bytes have arrived.\n"
      "Layer by layer together: KVPR's column-by-column order; streamed matrices of a layer are read once for all."));
  for (const OffloadBatch batch : offload_batches) batch_->addItem(batch_name(batch), id_of(batch));
  for (QComboBox* combo : {tier_, split_, resident_, codec_, weights_, batch_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::activated, this, [this, combo] { choose(combo); });
  }
  form->addRow(tr("Offload"), tier_);
  form->addRow(tr("Split"), split_);
  form->addRow(tr("Resident"), resident_);
  form->addRow(tr("Codec"), codec_);
  form->addRow(tr("Weights"), weights_);
  form->addRow(tr("Batch"), batch_);
  show_settings({});
}

void OffloadControls::choose(const QComboBox* by) {
  const QString tier = tier_->currentData().toString();
  if (tier == no_tier) return emit chosen("none");
  DecodeOffloadSetting setting{.tier = from_q(tier),
                               .split = chosen_of(*split_, splits),
                               .resident = chosen_of(*resident_, resident_fronts),
                               .codec = from_q(codec_->currentData().toString()),
                               .weights = chosen_of(*weights_, weight_loadings),
                               .batch = chosen_of(*batch_, offload_batches)};
  // What was chosen last holds; what contradicts it gives in.
  if (setting.resident != ResidentFront::nothing && setting.split == SplitMode::load_only) {
    if (by == split_)
      setting.resident = ResidentFront::nothing;
    else
      setting.split = SplitMode::solved;
  }
  if (!setting.codec.empty() && setting.reads_inputs()) {
    if (by == split_)
      setting.codec.clear();
    else
      setting.split = SplitMode::load_only;
  }
  emit chosen(setting.text());
}

// Without a tier the split stays as it is shown: it may be chosen first.
void OffloadControls::show_settings(const SessionSettings& settings) {
  const auto parsed = parse_decode_offload(settings.decode_offload);
  if (!parsed) return;
  QStringList names{no_tier}, shown;
  for (const TierConfig& tier : settings.tiers)
    if (!kind_of(tier).is_shared) names << to_q(tier.name);
  for (int i = 0; i < tier_->count(); ++i) shown << tier_->itemData(i).toString();
  if (names != shown) {
    tier_->clear();
    for (const QString& name : names) tier_->addItem(name == no_tier ? tr("none") : name, name);
  }
  tier_->setCurrentIndex(*parsed ? std::max(0, tier_->findData(to_q((*parsed)->tier))) : 0);
  if (!*parsed) return;
  const DecodeOffloadSetting& setting = **parsed;
  split_->setCurrentIndex(split_->findData(id_of(setting.split)));
  resident_->setCurrentIndex(resident_->findData(id_of(setting.resident)));
  if (codec_->findData(to_q(setting.codec)) < 0) codec_->addItem(to_q(setting.codec), to_q(setting.codec));
  codec_->setCurrentIndex(codec_->findData(to_q(setting.codec)));
  weights_->setCurrentIndex(weights_->findData(id_of(setting.weights)));
  batch_->setCurrentIndex(batch_->findData(id_of(setting.batch)));
}

}  // namespace kvantage
