#include "ui/live/controls/fault_controls.h"

#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "core/ports/reason_text.h"
#include "ui/live/controls/model/fault_presets.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr int none_index = 0;  // then the presets, then, where there is one, a mixture

QString reasons_text(const std::map<std::string, std::uint64_t>& counts, const std::vector<std::string>& left_out) {
  QStringList parts;
  for (const auto& [reason, count] : counts)
    if (count > 0 && std::find(left_out.begin(), left_out.end(), reason) == left_out.end())
      parts << QStringLiteral("%1 %2").arg(count).arg(core_text(reason_text(reason)));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

FaultControls::FaultControls(const QString& tier, QWidget* parent)
    : QWidget(parent),
      preset_(new QComboBox),
      parts_(new StackingRow(6)),
      probability_(new QDoubleSpinBox),
      seed_(new QSpinBox),
      counts_(plain_label()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  preset_->setAccessibleName(tr("%1 faults").arg(tier));
  preset_->setToolTip(tr("Injects faults into the files of %1 while requests run. Every read is verified: a corrupt "
                         "byte is a miss, never an answer.")
                          .arg(tier));
  preset_->addItem(tr("none"));
  preset_->setItemData(none_index, tr("No injected faults"), Qt::ToolTipRole);
  for (const FaultPreset& preset : fault_presets()) {
    preset_->addItem(preset.name);
    preset_->setItemData(preset_->count() - 1, preset.tip, Qt::ToolTipRole);
  }
  column->addWidget(preset_);

  probability_->setRange(0.01, 100);
  probability_->setDecimals(2);
  probability_->setSuffix(QStringLiteral(" %"));
  probability_->setAccessibleName(tr("%1 fault probability").arg(tier));
  probability_->setToolTip(tr("Fault probability per device call, in percent. Reading a cache takes several calls."));
  seed_->setRange(0, std::numeric_limits<int>::max());
  seed_->setValue(1);
  seed_->setPrefix(tr("seed "));
  seed_->setAccessibleName(tr("%1 fault seed").arg(tier));
  seed_->setToolTip(tr("Selects which calls fail. The same seed injects the same faults from the start of a run."));
  for (QAbstractSpinBox* box : {static_cast<QAbstractSpinBox*>(probability_), static_cast<QAbstractSpinBox*>(seed_)}) {
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);  // typed, or moved with the arrow keys
    box->setKeyboardTracking(false);
    box->setMinimumWidth(64);
  }
  parts_->add(probability_, 1);
  parts_->add(seed_, 1);
  column->addWidget(parts_);
  counts_->setProperty("muted", true);
  counts_->setWordWrap(true);
  counts_->setToolTip(
      tr("Injected faults by kind, failed reads and failed writes by reason, since the tier was opened (measured)"));
  column->addWidget(counts_);
  counts_->hide();
  parts_->hide();

  connect(preset_, &QComboBox::activated, this, &FaultControls::choose);
  connect(probability_, &QDoubleSpinBox::valueChanged, this, &FaultControls::commit);
  connect(seed_, &QSpinBox::valueChanged, this, &FaultControls::commit);
}

void FaultControls::choose(int index) {
  const auto chosen = static_cast<std::size_t>(index - 1);
  if (index != none_index && chosen < fault_presets().size()) {
    showing_ = true;
    probability_->setValue(fault_presets()[chosen].default_probability * 100);
    showing_ = false;
  }
  commit();
}

void FaultControls::commit() {
  if (showing_) return;
  const int index = preset_->currentIndex();
  const auto chosen = static_cast<std::size_t>(index - 1);
  InjectedFaults faults;
  if (index != none_index && chosen < fault_presets().size()) {
    faults.plan = fault_presets()[chosen].plan(probability_->value() / 100);
  } else if (index != none_index) {
    // A mixture keeps its parts; only the seed moves here.
    if (const auto mixture = parse_faults(preset_->itemData(index).toString().toStdString()))
      faults.plan = mixture->plan;
  }
  faults.seed = static_cast<std::uint64_t>(seed_->value());
  faults_ = to_string(faults);
  show_parts();
  emit released(faults_);
}

void FaultControls::show_faults(const std::string& text) {
  const auto faults = parse_faults(text);
  if (!faults) return;
  showing_ = true;
  faults_ = text;
  const int mixture = static_cast<int>(fault_presets().size()) + 1;
  const auto preset = recognized(faults->plan);
  if (!preset && faults->plan.any()) {
    InjectedFaults parts = *faults;
    parts.seed = 1;
    const QString words = to_q(to_string(parts));
    if (preset_->count() <= mixture) preset_->addItem(QString());
    preset_->setItemText(mixture, tr("custom"));
    preset_->setItemData(mixture, words);
    preset_->setItemData(mixture, words, Qt::ToolTipRole);
  }
  preset_->setCurrentIndex(preset ? static_cast<int>(preset->preset) + 1 : faults->plan.any() ? mixture : none_index);
  if (preset) probability_->setValue(preset->probability * 100);
  if (faults->plan.any())
    seed_->setValue(static_cast<int>(std::min<std::uint64_t>(faults->seed, std::numeric_limits<int>::max())));
  show_parts();
  showing_ = false;
}

void FaultControls::show_parts() {
  const int index = preset_->currentIndex();
  parts_->setVisible(index != none_index);
  probability_->setVisible(index <= static_cast<int>(fault_presets().size()));
  if (index == none_index) counts_->hide();
}

void FaultControls::show_counts(const TierStatistics& statistics) {
  const QString reads = reasons_text(statistics.misses, {"absent", "cancelled"});
  const QString writes = reasons_text(statistics.failed_writes, {"cancelled"});
  const QString injected = reasons_text(statistics.injected_faults, {});
  QStringList lines;
  if (!injected.isEmpty()) lines << tr("injected: %1").arg(injected);
  if (!reads.isEmpty()) lines << tr("reads failed: %1").arg(reads);
  if (!writes.isEmpty()) lines << tr("writes failed: %1").arg(writes);
  counts_->setText(lines.isEmpty() ? tr("no fault injected yet") : lines.join(QStringLiteral("\n")));
  counts_->setVisible(!faults_.empty());
}

}  // namespace kvantage
