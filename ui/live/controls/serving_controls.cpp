#include "ui/live/controls/serving_controls.h"

#include <QFormLayout>

#include "core/policy/compute_or_load.h"
#include "ui/text/words.h"

namespace kvantage {

ServingControls::ServingControls(SettingsController& settings, QWidget* parent)
    : QGroupBox(tr("Serving"), parent),
      settings_(settings),
      batch_(new QSpinBox),
      prefill_batch_(new QSpinBox),
      meet_(new QCheckBox(tr("Overlap recompute with loads"))),
      recompute_(new QCheckBox(tr("Recompute instead of loading"))),
      quantized_(new QCheckBox(tr("Attend on quantized KV"))),
      speculation_(new QComboBox) {
  add_rows();
  connect(batch_, &QSpinBox::valueChanged, this, [this](int most) {
    if (showing_) return;
    SessionSettings changed = settings_.committed();
    changed.max_batch = most;
    settings_.commit(changed, tr("max concurrency %1").arg(most), QStringLiteral("batch"));
  });
  connect(prefill_batch_, &QSpinBox::valueChanged, this, [this](int tokens) {
    if (showing_) return;
    SessionSettings changed = settings_.committed();
    changed.prefill_batch_tokens = tokens;
    settings_.commit(changed, tr("prefill batch: %1").arg(prefill_batch_->text()), QStringLiteral("prefill_batch"));
  });
  for (QCheckBox* box : {meet_, recompute_}) connect(box, &QCheckBox::clicked, this, &ServingControls::commit_ways);
  connect(quantized_, &QCheckBox::clicked, this, [this](bool wanted) {
    SessionSettings changed = settings_.committed();
    changed.attend_quantized = wanted;
    if (wanted) changed.decode_eviction = "none";  // it works on dequantized KV
    settings_.commit(changed, wanted ? tr("attend on quantized KV") : tr("dequantize on load"), QString());
  });
  connect(speculation_, &QComboBox::activated, this, [this](int index) {
    SessionSettings changed = settings_.committed();
    changed.speculation = from_q(speculation_->itemData(index).toString());
    settings_.commit(changed, tr("speculation: %1").arg(speculation_->itemText(index)), QString());
  });
}

void ServingControls::add_rows() {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 2, 0, 2);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);  // for large text
  add_batch(*form);
  meet_->setAccessibleName(tr("Overlap recompute with loads"));
  meet_->setToolTip(
      tr("Recomputes the front of a stored context while its back loads from the tier,\nwherever the fitted costs "
         "predict a lower TTFT. Answers do not change. See Pipeline for both timelines."));
  form->addRow(meet_);
  recompute_->setAccessibleName(tr("Recompute instead of loading"));
  recompute_->setToolTip(tr(
      "Recomputes all of a stored context and reads nothing of it,\nwherever the fitted costs predict a lower TTFT."));
  form->addRow(recompute_);
  quantized_->setAccessibleName(tr("Attend on quantized KV"));
  quantized_->setToolTip(
      tr("No dequantization on load: attention reads KIVI-quantized caches directly.\nSaves memory; each decode step "
         "takes longer. Answers do not change."));
  form->addRow(quantized_);
  add_speculation(*form);
}

void ServingControls::add_batch(QFormLayout& form) {
  batch_->setRange(1, max_batch);
  batch_->setKeyboardTracking(false);
  batch_->setAccessibleName(tr("Max concurrency"));
  batch_->setToolTip(
      tr("Maximum number of requests in flight, decoded as one batch. While fewer are in flight, the engine measures "
         "quality curves in the background."));
  form.addRow(tr("Max concurrency"), batch_);
  prefill_batch_->setRange(0, max_prefill_batch_tokens);
  prefill_batch_->setSingleStep(64);
  prefill_batch_->setKeyboardTracking(false);
  prefill_batch_->setSpecialValueText(tr("off"));
  prefill_batch_->setSuffix(tr(" tokens"));
  prefill_batch_->setAccessibleName(tr("Prefill batch"));
  prefill_batch_->setToolTip(tr(
      "Questions and ends of contexts of several requests prefill together, up to so many tokens in a step.\nTakes "
      "effect with more than one request in flight, in a session with batch-invariant products on the CPU (chosen in "
      "Models or Use my model).\nAnswers do not change."));
  form.addRow(tr("Prefill batch"), prefill_batch_);
}

void ServingControls::add_speculation(QFormLayout& form) {
  speculation_->addItem(tr("off"), QStringLiteral("off"));
  speculation_->addItem(tr("where faster"), QStringLiteral("auto"));
  speculation_->addItem(tr("always"), QStringLiteral("lookup"));
  speculation_->setAccessibleName(tr("Speculation"));
  speculation_->setToolTip(
      tr("Prompt lookup: drafts the next tokens of an answer from where its latest ones occur in context, question or "
         "answer,\nand verifies several drafts in one decoding pass. Answers do not change.\nWhere faster: only as far "
         "as measured times and accepted drafts say that it raises the tokens per second."));
  form.addRow(tr("Speculation"), speculation_);
}

// A setting with parameters of its own is one more choice.
void ServingControls::show_speculation(const QString& setting) {
  constexpr int choices = 3;
  while (speculation_->count() > choices) speculation_->removeItem(speculation_->count() - 1);
  if (speculation_->findData(setting) < 0) speculation_->addItem(setting, setting);
  speculation_->setCurrentIndex(speculation_->findData(setting));
}

void ServingControls::commit_ways() {
  const ServingWays ways{.hybrid = meet_->isChecked(), .prefill = recompute_->isChecked()};
  SessionSettings changed = settings_.committed();
  changed.compute_or_load = to_string(ways);
  settings_.commit(changed,
                   ways.hybrid && ways.prefill ? tr("load, recompute or both")
                   : ways.hybrid               ? tr("overlap recompute with loads")
                   : ways.prefill              ? tr("load or recompute")
                                               : tr("load without recompute"),
                   QString());
}

void ServingControls::show_settings(const SessionSettings& settings) {
  showing_ = true;
  batch_->setValue(settings.max_batch);
  prefill_batch_->setValue(settings.prefill_batch_tokens);
  prefill_batch_->setEnabled(settings.products == batch_invariant_products);
  const ServingWays ways = serving_ways(settings.compute_or_load).value_or(ServingWays{});
  meet_->setChecked(ways.hybrid);
  recompute_->setChecked(ways.prefill);
  quantized_->setChecked(settings.attend_quantized);
  show_speculation(to_q(settings.speculation));
  showing_ = false;
}

}  // namespace kvantage
