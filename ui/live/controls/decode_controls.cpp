#include "ui/live/controls/decode_controls.h"

#include <QFormLayout>
#include <algorithm>

#include "core/base/form_text.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/stacking_row.h"

namespace kvantage {
namespace {

const QString percent_unit = QStringLiteral("percent"), token_unit = QStringLiteral("tokens"),
              planned_item = QStringLiteral("planned");

QString tip_of(const DecodeMethodInfo& info) {
  const std::string own = info.parameters.empty() ? "" : std::string(info.parameters) + ",";
  QString tip = core_text(std::string(info.summary));
  tip[0] = tip[0].toUpper();
  return tip + '\n' + to_q(own + loop_parameters(info)) + '\n' + to_q(std::string(info.source));
}

/// As settings have it; lessons choose by it in every language.
QString id_of(CompactionKind kind) { return QString::fromLatin1(to_string(kind)); }

}  // namespace

QString decode_eviction_text(const std::string& setting) {
  if (setting == planned_decode_eviction) return DecodeControls::tr("planned");
  const auto parsed = parse_decode_eviction(setting);
  if (!parsed || !parsed->has_value()) return DecodeControls::tr("off");
  const DecodeBudget& budget = (*parsed)->budget;
  return budget.percent > 0
             ? DecodeControls::tr("%1, budget %2 % of the prompt")
                   .arg(to_q((*parsed)->method), QString::number(budget.percent))
             : DecodeControls::tr("%1, budget %n token(s)", nullptr, budget.tokens).arg(to_q((*parsed)->method));
}

DecodeControls::DecodeControls(QWidget* parent)
    : QWidget(parent),
      method_(new QComboBox),
      budget_(new QDoubleSpinBox),
      unit_(new QComboBox),
      cut_(new QComboBox),
      cadence_(new QSpinBox),
      table_(new QComboBox),
      page_(new QComboBox),
      evict_when_(new QComboBox),
      compaction_(new QComboBox),
      compact_every_(new QSpinBox),
      compact_ms_(new QDoubleSpinBox),
      options_(new QLineEdit) {
  add_rows();
  connect_controls();
  show_setting("none");
}

void DecodeControls::offer_methods() {
  for (const DecodeMethodInfo& info : all_decode_methods()) {
    const QString name = to_q(std::string(info.name));
    if (method_->findData(name) >= 0) continue;
    method_->addItem(name, name);
    method_->setItemData(method_->count() - 1, tip_of(info), Qt::ToolTipRole);
  }
}

void DecodeControls::add_rows() {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 2, 0, 2);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  method_->addItem(tr("none"), QStringLiteral("none"));
  method_->setItemData(0, tr("Keeps every KV entry of the prompt and of the answer"), Qt::ToolTipRole);
  method_->addItem(tr("planned"), planned_item);
  method_->setItemData(1, tr("For each request the option with the highest utility at α, or none"), Qt::ToolTipRole);
  offer_methods();
  for (QComboBox* combo : {method_, unit_, cut_, table_, page_, evict_when_, compaction_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(combo == method_ ? 10 : 5);
  }
  method_->setAccessibleName(tr("Decode-time eviction method"));
  method_->setToolTip(tr(
      "Evicts KV entries while an answer is decoded: the prompt is cut to the budget after the first token,\nthen "
      "entries leave as new ones arrive. quest evicts nothing and reads selected pages only.\nStored contexts do not "
      "change. Applies from the next request."));
  form->addRow(tr("Eviction"), method_);
  budget_->setKeyboardTracking(false);
  budget_->setAccessibleName(tr("Decode budget"));
  budget_->setToolTip(tr("KV entries per head of a layer while decoding: percent of the prompt's tokens, or tokens"));
  unit_->addItem(tr("% of prompt"), percent_unit);
  unit_->addItem(tr("tokens"), token_unit);
  unit_->setAccessibleName(tr("Unit of the decode budget"));
  unit_->setToolTip(tr("Unit of the budget: percent of the prompt's tokens (context and question), or tokens"));
  auto* budget_row = new StackingRow(6);  // for large text
  budget_row->add(budget_, 1);
  budget_row->add(unit_, 1);
  form->addRow(tr("Budget"), budget_row);
  for (const PromptCut cut : {PromptCut::first_token, PromptCut::prefill})
    cut_->addItem(cut == PromptCut::first_token ? tr("after the first token") : tr("during the prefill"),
                  static_cast<int>(cut));
  cut_->setAccessibleName(tr("Cut of the prompt"));
  cut_->setToolTip(tr(
      "When the prompt is cut to the budget: after the first token, or each layer as soon as its prefill is done.\n"
      "During the prefill less memory is used. The answer is the same: a layer is cut after the question has\npassed "
      "it. Only methods that score without attention can do that; others cut after the first token."));
  form->addRow(tr("Cut"), cut_);
  cadence_->setRange(1, 65536);
  cadence_->setKeyboardTracking(false);
  cadence_->setAccessibleName(tr("Eviction cadence"));
  cadence_->setToolTip(tr("Decoded tokens between two evictions. Methods that evict pages evict when a page is full."));
  form->addRow(tr("Cadence"), cadence_);
  for (const BlockTableScope scope : {BlockTableScope::head, BlockTableScope::layer, BlockTableScope::sequence})
    table_->addItem(scope == BlockTableScope::head    ? tr("per head")
                    : scope == BlockTableScope::layer ? tr("per layer")
                                                      : tr("per sequence"),
                    static_cast<int>(scope));
  table_->setAccessibleName(tr("Block table"));
  table_->setToolTip(tr(
      "What shares one block table and so evicts the same tokens: each head for itself, all heads of a layer, or the "
      "whole sequence (paged_eviction only)"));
  form->addRow(tr("Block table"), table_);
  add_compaction_rows(*form);
  options_->setAccessibleName(tr("Decode options"));
  options_->setPlaceholderText(tr("e.g. knorm(budget=25%)"));
  options_->setToolTip(
      tr("Methods with budgets that “planned” chooses from, separated by commas.\nQuality and inter-token latency of "
         "each are profiled for every context, beside decoding without eviction."));
  form->addRow(tr("Options"), options_);
}

void DecodeControls::add_compaction_rows(QFormLayout& layout) {
  page_->setAccessibleName(tr("Page"));
  page_->setToolTip(tr(
      "Tokens that paged_eviction evicts, or quest reads, as one. A block of the pool is freed when all pages\nin it "
      "are evicted."));
  layout.addRow(tr("Page"), page_);
  for (const EvictWhen when : {EvictWhen::above_budget, EvictWhen::page_full})
    evict_when_->addItem(when == EvictWhen::above_budget ? tr("above the budget") : tr("when a page is full"),
                         static_cast<int>(when));
  evict_when_->setAccessibleName(tr("When to evict a page"));
  evict_when_->setToolTip(
      tr("When paged_eviction evicts a page: when a page is full and the layer is above its budget,\nor whenever a "
         "page is full, whatever the budget (PagedEviction, Algorithm 3)"));
  layout.addRow(tr("Evict"), evict_when_);
  compaction_->addItem(tr("repack"), id_of(CompactionKind::repack));
  compaction_->addItem(tr("hole filling"), id_of(CompactionKind::hole_fill));
  compaction_->addItem(tr("none"), id_of(CompactionKind::none));
  compaction_->setAccessibleName(tr("Compaction"));
  compaction_->setToolTip(
      tr("Frees blocks that eviction left with holes: repack moves all later entries forward, hole filling moves "
         "the newest entries into the holes. Answers do not change."));
  layout.addRow(tr("Compaction"), compaction_);
  compact_every_->setRange(1, 65536);
  compact_every_->setKeyboardTracking(false);
  compact_every_->setAccessibleName(tr("Compaction cadence"));
  compact_every_->setToolTip(tr("Decoded tokens between two compaction passes (default: 128)"));
  layout.addRow(tr("Every"), compact_every_);
  compact_ms_->setRange(0, 1000);
  compact_ms_->setDecimals(1);
  compact_ms_->setSingleStep(0.5);
  compact_ms_->setSuffix(tr(" ms"));
  compact_ms_->setSpecialValueText(tr("all at once"));
  compact_ms_->setKeyboardTracking(false);
  compact_ms_->setAccessibleName(tr("Compaction time per token"));
  compact_ms_->setToolTip(
      tr("How long a pass may delay a token: layer by layer, it resumes after the next token. 0: all at once."));
  layout.addRow(tr("Time limit"), compact_ms_);
}

void DecodeControls::connect_controls() {
  connect(method_, &QComboBox::activated, this, [this] { choose_method(method_->currentData().toString()); });
  connect(unit_, &QComboBox::activated, this, [this] {
    if (showing_ || !shown_) return;
    const bool percent = unit_->currentData().toString() == percent_unit;
    shown_->budget = percent ? DecodeBudget{.percent = default_decode_budget_percent} : DecodeBudget{.tokens = 512};
    emit chosen(shown_->text(), QStringLiteral("unit"));
  });
  connect(budget_, &QDoubleSpinBox::valueChanged, this, [this] { change(QStringLiteral("budget")); });
  connect(cadence_, &QSpinBox::valueChanged, this, [this] { change(QStringLiteral("cadence")); });
  connect(compact_every_, &QSpinBox::valueChanged, this, [this] { change(QStringLiteral("compact_every")); });
  connect(compact_ms_, &QDoubleSpinBox::valueChanged, this, [this] { change(QStringLiteral("compact_ms")); });
  for (QComboBox* combo : {cut_, compaction_, table_, page_, evict_when_})
    connect(combo, &QComboBox::activated, this, [this] { change(QString()); });
  connect(options_, &QLineEdit::editingFinished, this, [this] {
    options_->setModified(false);
    if (!showing_ && options_->text() != shown_options_) emit options_chosen(split_list(from_q(options_->text())));
  });
}

// A method brings its own cadence and table. The budget stays, also across "none"; so do cut and compaction where the
// method evicts.
void DecodeControls::choose_method(const QString& name) {
  if (showing_) return;
  if (name == QStringLiteral("none") || name == planned_item) return emit chosen(from_q(name), QString());
  if (shown_ && shown_->name() == from_q(name)) return;
  auto parsed = parse_decode_eviction(from_q(name));
  if (!parsed || !parsed->has_value()) return;
  DecodeEvictionSetting eviction = **parsed;
  eviction.budget = kept_.budget;
  if (!eviction.selects_pages()) {
    eviction.cut = kept_.cut;
    eviction.compaction = kept_.compaction;
    eviction.compact_every = kept_.compact_every;
    eviction.compact_ms = kept_.compact_ms;
  }
  emit chosen(eviction.text(), QString());
}

void DecodeControls::change(const QString& control) {
  if (showing_ || !shown_) return;
  DecodeEvictionSetting changed = *shown_;
  changed.budget = unit_->currentData().toString() == percent_unit
                       ? DecodeBudget{.percent = budget_->value()}
                       : DecodeBudget{.tokens = static_cast<int>(budget_->value())};
  changed.cut = static_cast<PromptCut>(cut_->currentData().toInt());
  changed.cadence = cadence_->value();
  changed.table = static_cast<BlockTableScope>(table_->currentData().toInt());
  for (const CompactionKind kind : {CompactionKind::none, CompactionKind::repack, CompactionKind::hole_fill})
    if (compaction_->currentData().toString() == id_of(kind)) changed.compaction = kind;
  changed.compact_every = compact_every_->value();
  if (control == QStringLiteral("compact_ms")) changed.compact_ms = compact_ms_->value();  // others do not round it
  if (page_->isEnabled())
    if (const auto paged = changed.with_page(page_->currentData().toInt())) changed = *paged;
  if (evict_when_->isEnabled())
    if (const auto timed = changed.with_evict_when(static_cast<EvictWhen>(evict_when_->currentData().toInt())))
      changed = *timed;
  if (!parse_decode_eviction(changed.text())) return show_setting(shown_->text());  // a table that the method lacks
  emit chosen(changed.text(), control);
}

void DecodeControls::show_setting(const std::string& setting, const std::vector<std::string>& options) {
  const bool planned = setting == planned_decode_eviction;
  const auto parsed = parse_decode_eviction(planned ? "none" : setting);
  if (!parsed) return;
  showing_ = true;
  shown_ = *parsed;
  QStringList listed;
  for (const std::string& option : options) listed << to_q(option);
  shown_options_ = listed.join(QStringLiteral(", "));
  if (!options_->isModified()) options_->setText(shown_options_);  // else it is being written
  keep(shown_);
  const DecodeEvictionSetting eviction = shown_.value_or(kept_);
  const QString item = planned ? planned_item : shown_ ? to_q(eviction.name()) : QStringLiteral("none");
  method_->setCurrentIndex(std::max(0, method_->findData(item)));
  const bool percent = eviction.budget.percent > 0;
  unit_->setCurrentIndex(unit_->findData(percent ? percent_unit : token_unit));
  budget_->setDecimals(percent ? 1 : 0);
  budget_->setRange(percent ? 0.1 : 1, percent ? 100 : 1e9);
  budget_->setSingleStep(percent ? 5 : 64);
  budget_->setValue(percent ? eviction.budget.percent : eviction.budget.tokens);
  cut_->setCurrentIndex(cut_->findData(static_cast<int>(eviction.cut)));
  cadence_->setValue(eviction.cadence);
  table_->setCurrentIndex(table_->findData(static_cast<int>(eviction.table)));
  compaction_->setCurrentIndex(compaction_->findData(id_of(eviction.compaction)));
  compact_every_->setValue(eviction.compact_every);
  compact_ms_->setValue(eviction.compact_ms);
  show_page(shown_ ? eviction.page() : std::nullopt);
  const auto when = shown_ ? eviction.evict_when() : std::nullopt;
  evict_when_->setCurrentIndex(evict_when_->findData(static_cast<int>(when.value_or(EvictWhen::above_budget))));
  evict_when_->setEnabled(when.has_value());
  enable();
  showing_ = false;
}

// Page selection has a budget alone.
void DecodeControls::keep(const std::optional<DecodeEvictionSetting>& shown) {
  if (!shown) return;
  if (shown->selects_pages())
    kept_.budget = shown->budget;
  else
    kept_ = *shown;
}

// quest's pages are its own; those of paged_eviction are blocks unless chosen.
void DecodeControls::show_page(std::optional<int> tokens) {
  page_->clear();
  const bool blocks = shown_ && !shown_->selects_pages();
  if (blocks || !tokens) page_->addItem(tr("a block of the pool"), 0);
  std::vector<int> sizes{8, 16, 32, 64, 128};
  if (tokens && *tokens > 0 && std::ranges::find(sizes, *tokens) == sizes.end()) sizes.push_back(*tokens);
  std::ranges::sort(sizes);
  for (const int size : sizes) page_->addItem(tr("%n token(s)", nullptr, size), size);
  page_->setCurrentIndex(std::max(0, page_->findData(tokens.value_or(0))));
  page_->setEnabled(tokens.has_value());
}

void DecodeControls::enable() {
  const DecodeMethodInfo* info = shown_ ? find_decode_method(shown_->name()) : nullptr;
  const bool evicts = shown_.has_value() && !shown_->selects_pages();
  budget_->setEnabled(shown_.has_value());
  unit_->setEnabled(shown_.has_value());
  cadence_->setEnabled(evicts && info != nullptr && !info->pages);
  cut_->setEnabled(evicts);
  table_->setEnabled(evicts);
  compaction_->setEnabled(evicts);
  compact_every_->setEnabled(evicts && shown_->compaction != CompactionKind::none);
  compact_ms_->setEnabled(compact_every_->isEnabled());
}

}  // namespace kvantage
