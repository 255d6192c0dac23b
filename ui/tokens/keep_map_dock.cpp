#include "ui/tokens/keep_map_dock.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/live/controls/model_note.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_answers.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr int slider_steps = 198;  // halves of a percent up to KeepMapModel::max_removed
QString no_second() { return KeepMapDock::tr("(no second method)"); }

QComboBox* choice(const QString& name, const QString& tip) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setToolTip(tip);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(8);
  return box;
}

}  // namespace

KeepMapDock::KeepMapDock(RunModel& run, Inspector* inspector, QWidget* parent)
    : QWidget(parent),
      run_(run),
      model_(run, inspector),
      theme_(theme_of(ThemeKind::light)),
      pages_(new QStackedWidget),
      empty_(plain_label()),
      removed_(plain_label()),
      work_(new QLabel),
      provenance_(new QLabel) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  column->addWidget(make_choices());
  add_model_note(run, *column, QStringLiteral("keepMapModelNote"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(20);
  empty_->setProperty("muted", true);
  pages_->addWidget(empty_);
  pages_->addWidget(make_view());
  column->addWidget(pages_, 1);
  lazy_result_ = new LazyRefresh(
      *this, [this] { show_result(); }, 0);
  lazy_weights_ = new LazyRefresh(
      *this, [this] { show_weights(); }, 0);
  connect_choices();
  fill_lists();
  show_result();
}

QWidget* KeepMapDock::make_choices() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(8, 0, 8, 0);
  column->setSpacing(4);
  context_ = choice(tr("Context"), tr("Context whose tokens are shown; follows the selection of the other views"));
  context_->setPlaceholderText(tr("Select a context"));
  methods_[0] =
      choice(tr("Method"), tr("Compression method. You can type a composed one, such as adakv(snapkv)+kivi4."));
  methods_[1] = choice(tr("Second method"), tr("Method to compare with, at the same removed fraction"));
  question_ = choice(tr("Question"), tr("Question to answer from the full KV cache and from the kept entries"));
  layer_ = choice(tr("Layers"), tr("One layer, or all: the share of layers and KV heads that keep a token"));
  kv_head_ = choice(tr("KV heads"), tr("One KV head of each layer, or all"));
  for (QComboBox* method : methods_) method->setEditable(true);
  for (QComboBox* method : methods_) method->setInsertPolicy(QComboBox::NoInsert);
  fraction_ = new QSlider(Qt::Horizontal);
  fraction_->setRange(0, slider_steps);
  fraction_->setPageStep(10);
  fraction_->setAccessibleName(tr("Removed fraction"));
  fraction_->setToolTip(tr(
      "Removed share of the context's KV entries, in percent, averaged over KV heads. The map updates as you drag."));
  removed_->setMinimumWidth(removed_->fontMetrics().horizontalAdvance(tr("removed %1").arg(percent_text(0.995))));
  auto* top = new QHBoxLayout;
  top->addWidget(context_, 3);
  top->addWidget(methods_[0], 3);
  top->addWidget(methods_[1], 3);
  top->addWidget(layer_, 2);
  top->addWidget(kv_head_, 2);
  auto* below = new QHBoxLayout;
  below->addWidget(removed_);
  below->addWidget(fraction_, 2);
  below->addWidget(question_, 3);
  column->addLayout(top);
  column->addLayout(below);
  return box;
}

KeepMapDock::Side KeepMapDock::make_side(std::size_t form) {
  Side side{new QWidget, new QLabel, new TokenMap, new HeadGrid};
  auto* column = new QVBoxLayout(side.page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  side.title->setContentsMargins(8, 0, 8, 0);
  side.title->setTextFormat(Qt::PlainText);
  side.title->setToolTip(
      tr("Kept share of KV entries over all layers and KV heads, and size of the stored cache including headers"));
  side.title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  side.map->setAccessibleName(form == 0 ? tr("Kept tokens") : tr("Kept tokens, second method"));
  side.map->setToolTip(
      tr("Darker: kept by more KV heads. Struck out: evicted in every head. Hover over a token for its score; arrow, "
         "Home, End and Page keys move between tokens."));
  side.map->set_hover_text([this, form](std::size_t token) { return model_.hover_text(form, token); });
  column->addWidget(side.title);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  row->addWidget(side.map, 1);
  row->addWidget(side.grid);
  column->addLayout(row, 1);
  if (form == 1) side.grid->setAccessibleName(tr("Kept share by layer and KV head, second method"));
  install_chart_menu(*side.grid, {side.grid, side.grid->accessibleName(), [this] { return grid_table(); }});
  const QString name = form == 0 ? tr("Keep map") : tr("Keep map, second method");
  install_chart_menu(*side.map, {side.map, name, [this] { return table(); }});
  return side;
}

QWidget* KeepMapDock::make_view() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3);
  maps_ = new QSplitter(Qt::Horizontal);
  maps_->setHandleWidth(1);
  for (std::size_t form = 0; form < 2; ++form) {
    sides_[form] = make_side(form);
    maps_->addWidget(sides_[form].page);
  }
  // One place of the text in both.
  for (std::size_t form = 0; form < 2; ++form)
    connect(sides_[form].map->verticalScrollBar(), &QScrollBar::valueChanged, sides_[1 - form].map->verticalScrollBar(),
            &QScrollBar::setValue);
  answers_ = new QTextBrowser;
  answers_->setAccessibleName(tr("Answers"));
  answers_->setToolTip(
      tr("Greedy answers from the full KV cache and from the kept entries; differences are highlighted. F1: word "
         "overlap with the reference answer, 0 to 1"));
  answers_->setOpenLinks(false);
  answers_->setFrameShape(QFrame::NoFrame);
  split_ = new QSplitter(Qt::Horizontal);
  split_->setHandleWidth(1);
  split_->addWidget(maps_);
  split_->addWidget(answers_);
  split_->setStretchFactor(0, 7);
  split_->setStretchFactor(1, 3);
  split_->setSizes({700, 300});
  column->addWidget(split_, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(8, 0, 8, 3);
  legend_ = new LegendStrip;
  work_->setProperty("muted", true);
  work_->setTextFormat(Qt::PlainText);
  work_->setAccessibleName(tr("Keep map progress"));
  provenance_->setTextFormat(Qt::PlainText);
  provenance_->setAccessibleName(tr("Source of this keep map"));
  provenance_->setToolTip(tr("The text comes from the open workload, whose tokens are identical"));
  foot->addWidget(legend_, 1);
  foot->addWidget(provenance_);
  foot->addWidget(work_);
  column->addLayout(foot);
  return page;
}

void KeepMapDock::connect_choices() {
  connect(context_, &QComboBox::activated, this, [this] { run_.selection.choose_context(context_->currentText()); });
  for (QComboBox* method : methods_) {
    connect(method, &QComboBox::activated, this, &KeepMapDock::take_methods);
    connect(method->lineEdit(), &QLineEdit::editingFinished, this, &KeepMapDock::take_methods);
  }
  connect(fraction_, &QSlider::valueChanged, this, [this](int value) {
    if (!filling_) model_.set_removed_fraction(value / (slider_steps / KeepMapModel::max_removed));
  });
  connect(question_, &QComboBox::activated, this, [this] { model_.set_question(question_->currentData().toInt()); });
  const auto view = [this] { model_.set_view(layer_->currentData().toInt(), kv_head_->currentData().toInt()); };
  connect(layer_, &QComboBox::activated, this, view);
  connect(kv_head_, &QComboBox::activated, this, view);
  connect(&model_, &KeepMapModel::contextsChanged, this, &KeepMapDock::fill_lists);
  connect(&run_, &RunModel::settingsChanged, this, [this] { fill_lists(); });
  connect(&model_, &KeepMapModel::requestChanged, this, [this] {
    fill_choices();
    lazy_result_->invalidate();
  });
  connect(&model_, &KeepMapModel::resultChanged, this, [this] { lazy_result_->invalidate(); });
  connect(&model_, &KeepMapModel::viewChanged, this, [this] {
    fill_choices();
    lazy_weights_->invalidate();
  });
  for (const Side& side : sides_) connect(side.grid, &HeadGrid::chosen, &model_, &KeepMapModel::set_view);
  connect(&model_, &KeepMapModel::workChanged, this, &KeepMapDock::show_work);
}

void KeepMapDock::take_methods() {
  if (filling_) return;
  QStringList wanted{methods_[0]->currentText().trimmed()};
  const QString second = methods_[1]->currentText().trimmed();
  if (!second.isEmpty() && second != no_second()) wanted << second;
  if (!wanted.front().isEmpty()) model_.set_methods(wanted);
}

void KeepMapDock::fill_lists() {
  filling_ = true;
  const auto fill = [](QComboBox& box, const QStringList& texts) {
    QStringList present;
    for (int i = 0; i < box.count(); ++i) present << box.itemText(i);
    if (present == texts) return;
    box.clear();
    box.addItems(texts);
  };
  fill(*context_, model_.contexts());
  const QStringList known = model_.known_methods();
  fill(*methods_[0], known);
  fill(*methods_[1], QStringList{no_second()} + known);
  filling_ = false;
  fill_choices();
}

void KeepMapDock::fill_choices() {
  filling_ = true;
  context_->setCurrentIndex(context_->findText(model_.context()));
  methods_[0]->setEditText(model_.methods().value(0));
  methods_[1]->setEditText(model_.methods().value(1, no_second()));
  fraction_->setValue(
      static_cast<int>(std::lround(model_.removed_fraction() * slider_steps / KeepMapModel::max_removed)));
  fraction_->setEnabled(!model_.only_encodes());
  removed_->setText(model_.only_encodes() ? tr("removes no tokens")
                                          : tr("removed %1").arg(percent_text(model_.removed_fraction())));
  fill_questions();
  fill_views();
  filling_ = false;
}

void KeepMapDock::fill_questions() {
  const bool same = model_.shown() != nullptr && to_q(model_.shown()->context->id) == model_.context();
  QStringList texts{tr("(no question)")};
  if (same)
    for (const KeepMapQuestion& question : model_.shown()->context->questions)
      texts << to_q(question.text).simplified();
  QStringList present;
  for (int i = 0; i < question_->count(); ++i) present << question_->itemText(i);
  if (present != texts) {
    question_->clear();
    for (qsizetype i = 0; i < texts.size(); ++i) {
      question_->addItem(texts[i], static_cast<int>(i) - 1);
      question_->setItemData(static_cast<int>(i), texts[i], Qt::ToolTipRole);
    }
  }
  question_->setCurrentIndex(std::min(model_.question() + 1, question_->count() - 1));
}

void KeepMapDock::fill_views() {
  const auto fill = [](QComboBox& box, const QString& all, const QString& one, int count, int chosen) {
    if (box.count() != count + 1) {
      box.clear();
      box.addItem(all, KeepMapModel::all);
      for (int i = 0; i < count; ++i) box.addItem(one.arg(i), i);
    }
    box.setCurrentIndex(std::min(chosen, count - 1) + 1);
  };
  const KeepMapContext* context = model_.shown() != nullptr ? model_.shown()->context.get() : nullptr;
  fill(*layer_, tr("all layers"), tr("layer %1"), context != nullptr ? context->layers : 0, model_.layer());
  fill(*kv_head_, tr("all KV heads"), tr("KV head %1"), context != nullptr ? context->kv_heads : 0, model_.kv_head());
}

void KeepMapDock::show_result() {
  fill_choices();
  const QString why = model_.empty_text();
  empty_->setText(why);
  pages_->setCurrentIndex(why.isEmpty() ? 1 : 0);
  if (!why.isEmpty()) return;
  if (shown_tokens_ != model_.tokens()) {
    shown_tokens_ = model_.tokens();
    for (const Side& side : sides_) side.map->set_tokens(shown_tokens_);
  }
  sides_[1].page->setVisible(model_.form_count() > 1);
  show_grids();
  show_weights();
  show_answers();
  show_work();
}

void KeepMapDock::show_weights() {
  for (std::size_t form = 0; form < model_.form_count() && form < sides_.size(); ++form) {
    sides_[form].title->setText(model_.form_text(form));
    sides_[form].map->set_weights(model_.kept_shares(form));
    sides_[form].grid->set_chosen(model_.layer(), model_.kv_head());
  }
  show_legend();
}

void KeepMapDock::show_grids() {
  for (std::size_t form = 0; form < model_.form_count() && form < sides_.size(); ++form)
    sides_[form].grid->set_shares(model_.shown()->context->layers, model_.shown()->context->kv_heads,
                                  model_.kept_shares_of_heads(form));
  provenance_->setText(model_.provenance_text());
  provenance_->setVisible(!provenance_->text().isEmpty());
}

void KeepMapDock::show_legend() {
  const int heads = model_.summed_heads();
  const auto swatch = [this](float weight) { return TokenMap::ground(theme_, weight); };
  const QString tip = tr("Counted over the selected layers and KV heads");
  using Sign = LegendItem::Sign;
  std::vector<LegendItem> items;
  const auto add = [&](const QString& text, Sign sign, const QColor& color) {
    items.push_back({QString(), text, tip, sign, color});
  };
  add(heads > 1 ? tr("kept in all %n KV head(s)", nullptr, heads) : tr("kept"), Sign::swatch, swatch(1));
  if (heads > 1) add(tr("kept in half"), Sign::swatch, swatch(0.5f));
  add(heads > 1 ? tr("struck out: evicted in every head") : tr("struck out: evicted"), Sign::line, theme_.faint);
  legend_->set_items(std::move(items));
}

void KeepMapDock::show_answers() { answers_->setHtml(keep_map_answers_html(model_, theme_)); }

void KeepMapDock::show_work() {
  work_->setText(model_.complete() ? QString() : model_.work());
  if (pages_->currentIndex() == 0) empty_->setText(model_.empty_text());
}

ChartTable KeepMapDock::table() const {
  const std::vector<QStringList> rows = model_.rows();
  return {rows.front(), QVector<QStringList>(rows.begin() + 1, rows.end())};
}

ChartTable KeepMapDock::grid_table() const {
  ChartTable table{
      {QStringLiteral("method"), QStringLiteral("layer"), QStringLiteral("kv_head"), QStringLiteral("kept_share")}, {}};
  for (std::size_t form = 0; form < model_.form_count(); ++form) {
    const KeepMapContext& context = *model_.shown()->context;
    for (int l = 0; l < context.layers; ++l)
      for (int h = 0; h < context.kv_heads; ++h)
        table.rows.append({to_q(model_.shown()->forms[form].method), QString::number(l), QString::number(h),
                           QString::number(model_.kept_share_of(form, l, h), 'g', 6)});
  }
  return table;
}

void KeepMapDock::flush() {
  lazy_result_->flush();
  lazy_weights_->flush();
}

void KeepMapDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  model_.set_active(true);
}

void KeepMapDock::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  model_.set_active(false);
}

void KeepMapDock::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool wide = width() >= 520, low = height() < 420;
  split_->setOrientation(wide && (low || width() > height()) ? Qt::Horizontal : Qt::Vertical);
  maps_->setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
  for (const Side& side : sides_)
    side.grid->setVisible(wide);  // else the text needs the room; the lists above choose, too
}

void KeepMapDock::set_theme(const Theme& theme) {
  theme_ = theme;
  for (const Side& side : sides_) side.map->set_theme(theme);
  for (const Side& side : sides_) side.grid->set_theme(theme);
  legend_->set_theme(theme);
  show_result();
}

}  // namespace kvantage
