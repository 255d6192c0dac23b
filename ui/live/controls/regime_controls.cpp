#include "ui/live/controls/regime_controls.h"

#include <QFormLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "core/base/duration.h"
#include "core/base/units.h"
#include "core/workload/regimes/regime_facts.h"
#include "ui/live/controls/model/regime_move.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

QString value_text(double value) {
  return std::isfinite(value) ? to_q(shortest_number(round_to_digits(value, 3))) : RegimeControls::tr("unlimited");
}

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString alpha_text(const Regime& regime, double factor) {
  const QString times = value_text(factor);
  return regime.alpha_unit == AlphaUnit::prefill
             ? RegimeControls::tr("%1 × median prefill").arg(times)
             : RegimeControls::tr("%1 × median %2 TTFT").arg(times, text_of(regime.tiers.back().name));
}

/// "ssd 10 ×, remote unlimited": of the tiers after the fastest.
QString budgets_text(const Regime& regime) {
  QStringList parts;
  for (const RegimeTier& tier : std::span(regime.tiers).subspan(1))
    parts << (tier.times_first > 0 ? RegimeControls::tr("%1 %2 ×").arg(text_of(tier.name), value_text(tier.times_first))
                                   : RegimeControls::tr("%1 unlimited").arg(text_of(tier.name)));
  return parts.join(QStringLiteral(", "));
}

QString budget_tip() {
  return RegimeControls::tr(
      "Budget of the fastest tier, in % of all contexts uncompressed. The others are multiples of it:");
}

/// Where the regime is simulated at the size of its paper's evaluation; empty: nowhere.
QString scale_text_of(const Regime& regime) {
  if (regime.figures == "adaptcache/")
    return RegimeControls::tr(
               "At the paper's scale (1,100 contexts, 100 GB of DRAM, 400 GB of SSD), simulated: Papers > %1")
        .arg(QStringLiteral("adaptcache/paper-scale"));
  const QString figure = QStringLiteral("evicpress/paper-scale");
  if (regime.name == "evicpress-regime")
    return RegimeControls::tr(
               "At the paper's scale (555 contexts, 80 GB of DRAM, 800 GB of SSD), simulated: Papers > %1")
        .arg(figure);
  return RegimeControls::tr("At the paper's scale (555 contexts), simulated: Papers > %1, with budget %2")
      .arg(figure, value_text(regime.preset_percent / 100));
}

/// Empty: it can be applied.
QString refusal_of(const Regime& regime, const Snapshot* snapshot, const SettingsController& settings) {
  if (settings.fixed())
    return RegimeControls::tr("Settings of a recorded run are read-only. Go back to the live run to apply a regime.");
  const std::size_t tiers = settings.committed().tiers.size();
  if (tiers != regime.tiers.size())
    return RegimeControls::tr(
               "%1 has %2 tiers, this session %3. Start with a --tier option for each, or open a workload made by: "
               "kvantage-cli workload make --preset %1")
        .arg(text_of(regime.name))
        .arg(regime.tiers.size())
        .arg(tiers);
  if (snapshot == nullptr || snapshot->tiers.size() != tiers || !is_timed(*snapshot))
    return RegimeControls::tr(
        "Prefill and tiers are not timed yet. Wait until the workload has loaded and all tiers are reachable.");
  return {};
}

/// What applying it sets besides numbers, and what it leaves.
QString what_it_sets(const Regime& regime) {
  const QString rule = RegimeControls::tr("Policy: %1. Stored contexts are loaded, never recomputed; no re-profiling.")
                           .arg(text_of(regime.policy));
  return rule + ' ' +
         (regime.each_context_first
              ? RegimeControls::tr("The order of requests stays that of the workload. This regime's: each context "
                                   "once, then uniform.")
              : RegimeControls::tr("The order of requests stays that of the workload. This regime's: uniform."));
}

/// As withheld_text(), in the language of the window.
QString verdict_of(const std::vector<RegimeDeviation>& rows) {
  const QString separator = QStringLiteral("; ");
  QStringList parts;
  for (const QString& part : to_q(withheld_text(rows)).split(separator)) parts << core_text(part);
  QString text = parts.join(separator);
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

void set_text(QLabel& label, const QString& text) {
  if (text != label.text()) label.setText(text);
  label.setHidden(text.isEmpty());
}

}  // namespace

RegimeControls::RegimeControls(RunModel& run, SettingsController& settings, QWidget* parent)
    : QGroupBox(tr("Regime"), parent),
      run_(run),
      settings_(settings),
      regime_(new QComboBox),
      parts_(new QWidget),
      budget_(new QComboBox),
      alpha_(new QComboBox),
      apply_(new QPushButton(tr("Apply regime"))),
      note_(plain_label()),
      rows_(plain_label()),
      verdict_(plain_label()),
      scale_(plain_label()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 2, 0, 2);
  column->setSpacing(4);
  column->addWidget(regime_);
  column->addWidget(parts_);
  add_choices();
  lazy_ = new LazyRefresh(
      *this, [this] { show_state(); }, 120);
  connect(regime_, &QComboBox::activated, this, &RegimeControls::choose_regime);
  connect(apply_, &QPushButton::clicked, this, &RegimeControls::apply_regime);
  connect(&run_, &RunModel::snapshotChanged, this, [this] { lazy_->invalidate(); });
  connect(&settings_, &SettingsController::committedChanged, this, [this] { lazy_->invalidate(); });
  choose_regime();
}

void RegimeControls::add_choices() {
  regime_->setAccessibleName(tr("Regime"));
  regime_->setToolTip(tr(
      "A paper's regime: how much of the KV each tier holds, how long loads take beside prefill,\nhow requests come, "
      "and which alphas are tried. Verdicts about the paper hold in its regime only."));
  regime_->addItem(tr("as set"));
  for (const Regime& regime : paper_regimes()) {
    regime_->addItem(text_of(regime.name), text_of(regime.name));
    regime_->setItemData(regime_->count() - 1, text_of(regime.paper) + '\n' + core_text(regime.description),
                         Qt::ToolTipRole);
  }
  budget_->setAccessibleName(tr("Budget of the fastest tier"));
  budget_->setToolTip(budget_tip());
  alpha_->setAccessibleName(tr("Alpha of the regime"));
  alpha_->setToolTip(
      tr("α as a multiple of a median over all contexts: of the TTFT from the slowest tier,\nuncompressed, or of the "
         "time of prefill"));
  for (QComboBox* combo : {regime_, budget_, alpha_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
  }
  apply_->setAccessibleName(tr("Apply regime"));
  apply_->setToolTip(
      tr("Sets budgets and bandwidths of all tiers, α, policy, candidates and arrival rate, and turns off recomputing\n"
         "stored contexts and re-profiling, in one step of undo"));
  auto* column = new QVBoxLayout(parts_);  // a form cuts texts that wrap
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* form = new QFormLayout;
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);  // for large text
  form->addRow(tr("Budget"), budget_);
  form->addRow(QStringLiteral("α"), alpha_);
  column->addLayout(form);
  column->addWidget(apply_);
  for (QLabel* label : {note_, rows_, verdict_, scale_}) {
    label->setWordWrap(true);
    column->addWidget(label);
  }
  for (QLabel* label : {note_, rows_, scale_}) label->setProperty("muted", true);
  rows_->setToolTip(tr(
      "Budgets in % of all contexts uncompressed, and seconds to load a token uncompressed / seconds to prefill it,\n"
      "by the fits of this session, latency and unpacking included"));
  verdict_->setToolTip(tr("A verdict about the paper needs each of these numbers within 10 % of the regime's"));
}

const Regime* RegimeControls::chosen() const {
  const int index = regime_->currentIndex();
  return index > 0 ? &paper_regimes()[static_cast<std::size_t>(index - 1)] : nullptr;
}

void RegimeControls::choose_regime() {
  const Regime* regime = chosen();
  parts_->setVisible(regime != nullptr);
  if (regime == nullptr) return;
  budget_->clear();
  for (const double percent : regime->first_percents)
    budget_->addItem(tr("%1 % of all KV").arg(value_text(percent)), percent);
  budget_->setCurrentIndex(budget_->findData(regime->preset_percent));
  budget_->setToolTip(budget_tip() + '\n' + budgets_text(*regime));
  alpha_->clear();
  for (const double factor : regime->alpha_factors) alpha_->addItem(alpha_text(*regime, factor), factor);
  alpha_->setCurrentIndex(std::max(0, alpha_->findData(1.0)));
  set_text(*scale_, scale_text_of(*regime));
  show_state();
}

void RegimeControls::apply_regime() {
  const Regime* regime = chosen();
  const auto snapshot = run_.snapshot();
  if (regime == nullptr) return;
  const SessionSettings& before = settings_.committed();
  if (!refusal_of(*regime, snapshot.get(), settings_).isEmpty()) return show_state();
  const double percent = budget_->currentData().toDouble();
  const auto changed = settings_in(
      {.regime = regime, .first_percent = percent, .alpha = static_cast<std::size_t>(alpha_->currentIndex())},
      *snapshot, before);
  if (!changed) return set_text(*note_, core_text(changed.error().message));
  settings_.commit(*changed,
                   tr("Regime: %1, %2 %3 %")
                       .arg(text_of(regime->name), text_of(regime->tiers.front().name).toUpper(), value_text(percent)),
                   QString());
}

void RegimeControls::show_state() {
  const Regime* regime = chosen();
  if (regime == nullptr) return;
  const auto snapshot = run_.snapshot();
  const QString refusal = refusal_of(*regime, snapshot.get(), settings_);
  apply_->setEnabled(refusal.isEmpty());
  QStringList tiers;
  for (const std::string& tier : tier_texts(*regime, budget_->currentData().toDouble()))
    tiers << "--tier " + to_q(tier);
  note_->setToolTip(settings_.committed().tiers.size() == regime->tiers.size() ? QString() : tiers.join(' '));
  set_text(*note_, refusal.isEmpty() ? what_it_sets(*regime) : refusal);
  std::vector<RegimeDeviation> rows;
  if (snapshot && snapshot->tiers.size() == regime->tiers.size() && is_timed(*snapshot))
    rows = regime_deviations(*regime, *snapshot);
  QStringList lines;
  for (const RegimeDeviation& row : rows)
    lines << tr("%1: %2 (regime: %3)").arg(core_text(row.what), value_text(row.measured), value_text(row.wanted));
  set_text(*rows_, lines.join('\n'));
  set_text(*verdict_, verdict_of(rows));
}

}  // namespace kvantage
