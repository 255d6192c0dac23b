#include "ui/live/pool/pool_dock.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QTabBar>
#include <QVBoxLayout>

#include "ui/look/icons.h"
#include "ui/runs/transport_button.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/current_page.h"

namespace kvantage {

PoolDock::PoolDock(WalkPool walk, const SessionPoolModel* session, Selection* selection, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(std::move(walk)),
      theme_(theme_of(ThemeKind::light)),
      pages_(new QStackedWidget) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->addWidget(session_ != nullptr ? make_tabs(selection) : pages_);
  empty_ = new QLabel;
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(20);
  empty_->setProperty("muted", true);
  pages_->addWidget(empty_);
  auto* page = new QWidget;
  auto* page_column = new QVBoxLayout(page);
  page_column->setContentsMargins(0, 0, 0, 0);
  page_column->setSpacing(4);
  page_column->addWidget(make_choices());
  page_column->addWidget(make_transport());  // above: a dock that is low shows it
  page_column->addWidget(make_view(), 1);
  pages_->addWidget(page);
  connect(&model_, &PoolWalkModel::walked, this, &PoolDock::show_walk);
  connect(&model_, &PoolWalkModel::moved, this, &PoolDock::show_moment);
  connect(&model_, &PoolWalkModel::playingChanged, this, &PoolDock::show_playing);
  show_walk();
  show_playing();
}

QWidget* PoolDock::make_tabs(Selection* selection) {
  session_page_ = new SessionPoolPage(*session_, selection);
  tabs_ = new QTabWidget;
  tabs_->setDocumentMode(true);
  tabs_->addTab(session_page_, tr("This session"));
  tabs_->addTab(pages_, tr("Step-through"));
  tabs_->setTabToolTip(0, tr("The session's pool over time, and the compaction passes of its requests"));
  tabs_->setTabToolTip(1, tr("A small pool, stepped through token by token"));
  ask_for_current_page_only(*tabs_);
  connect(tabs_, &QTabWidget::currentChanged, this, [this](int page) {
    if (page == 0) model_.play(false);
    if (session_->report()) session_in_front_ = page == 0;
  });
  connect(session_, &SessionPoolModel::changed, this, &PoolDock::show_session);
  show_session();
  return tabs_;
}

// Where nothing is known of a session's pool, the walk-through is all there is.
void PoolDock::show_session() {
  const bool known = session_->report().has_value();
  if (tabs_->isTabVisible(0) == known && tabs_->tabBar()->isVisibleTo(tabs_) == known) return;
  const bool in_front = session_in_front_;
  tabs_->setTabVisible(0, known);
  tabs_->tabBar()->setVisible(known);
  tabs_->setFocusPolicy(known ? Qt::TabFocus : Qt::NoFocus);  // one that is hidden would hold Tab back
  tabs_->setCurrentIndex(known && in_front ? 0 : 1);
  session_in_front_ = in_front;
}

void PoolDock::show_walk_page() {
  if (tabs_ != nullptr) tabs_->setCurrentIndex(1);
}

QWidget* PoolDock::make_choices() {
  auto* box = new QWidget;
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(8, 0, 8, 0);
  const auto fill = [](QComboBox& combo, const std::vector<PoolWalkModel::Choice>& choices) {
    for (const PoolWalkModel::Choice& one : choices) {
      combo.addItem(one.text, one.value);
      combo.setItemData(combo.count() - 1, one.tip, Qt::ToolTipRole);
    }
  };
  eviction_method_ = new QComboBox;
  eviction_method_->setAccessibleName(tr("Eviction"));
  eviction_method_->setToolTip(tr("Which KV entry to evict when the sequence exceeds its budget"));
  fill(*eviction_method_, PoolWalkModel::eviction_methods());
  compaction_ = new QComboBox;
  compaction_->setAccessibleName(tr("Compaction"));
  compaction_->setToolTip(tr("How free slots are compacted, every 16 decoded tokens"));
  fill(*compaction_, PoolWalkModel::compactions());
  block_ = new QComboBox;
  block_->setAccessibleName(tr("Block size"));
  block_->setToolTip(tr("Size of a block of the pool, in tokens"));
  for (const int tokens : {4, 8, 16, 32}) block_->addItem(tr("blocks of %1").arg(tokens), tokens);
  block_->setCurrentIndex(1);
  budget_ = new QSpinBox;
  budget_->setRange(16, 120);
  budget_->setValue(model_.setting().budget_tokens);
  budget_->setPrefix(tr("budget "));
  budget_->setAccessibleName(tr("Token budget"));
  budget_->setToolTip(tr("Maximum length of the sequence after an eviction, in tokens"));
  shared_ = new QCheckBox(tr("shared prompt"));
  shared_->setAccessibleName(tr("Shared prompt"));
  shared_->setToolTip(
      tr("Another sequence shares the prompt's blocks, so eviction does not free them and compaction skips them"));
  for (QComboBox* combo : {eviction_method_, compaction_, block_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    connect(combo, &QComboBox::currentIndexChanged, this, &PoolDock::take_choices);
  }
  connect(budget_, &QSpinBox::valueChanged, this, &PoolDock::take_choices);
  connect(shared_, &QCheckBox::toggled, this, &PoolDock::take_choices);
  row->addWidget(eviction_method_, 3);
  row->addWidget(compaction_, 2);
  row->addWidget(block_, 2);
  row->addWidget(budget_);
  row->addWidget(shared_);
  return box;
}

QWidget* PoolDock::make_view() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(8, 0, 8, 0);
  column->setSpacing(3);
  what_ = new QLabel;
  what_->setProperty("heading", true);
  what_->setAccessibleName(tr("What happened"));
  what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  grid_ = new PoolGrid;
  grid_->set_hover_text([this](std::size_t block, int row) { return model_.hover_text(block, row); });
  install_chart_menu(*grid_, {grid_, tr("Pool"), [this] { return table(); }});
  auto* below = new QHBoxLayout;
  free_ = new QProgressBar;
  free_->setMaximumWidth(130);
  free_->setTextVisible(false);
  free_->setAccessibleName(tr("Free blocks"));
  free_->setToolTip(tr("Share of the pool's blocks that no block table references"));
  gauges_ = new QLabel;
  gauges_->setProperty("muted", true);
  gauges_->setWordWrap(true);
  gauges_->setAccessibleName(tr("Pool statistics"));
  below->addWidget(free_);
  below->addWidget(gauges_, 1);
  column->addWidget(what_);
  column->addWidget(grid_, 1);
  column->addLayout(below);
  auto* drawn = new QLabel(tr("A real pool and a real eviction method; keys and values are random, not a model's."));
  drawn->setProperty("muted", true);
  drawn->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  drawn->setToolTip(drawn->text());
  column->addWidget(drawn);
  return box;
}

QWidget* PoolDock::make_transport() {
  auto* box = new QWidget;
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(3);
  const auto button = [row](const QString& text, const QString& tip) { return add_transport_button(*row, text, tip); };
  auto* back = button(QStringLiteral("◂"), tr("Previous step"));
  play_ = button(QString(), tr("Play"));
  auto* on = button(QStringLiteral("▸"), tr("Next step"));
  auto* eviction = button(tr("next eviction"), tr("Go to the next eviction"));
  auto* compaction = button(tr("next compaction"), tr("Go to the next compaction"));
  position_ = new QSlider(Qt::Horizontal);
  position_->setAccessibleName(tr("Step"));
  position_->setToolTip(tr("Step of the walk-through: decoded token, eviction or compaction"));
  legend_ = new LegendStrip;
  row->addWidget(position_, 2);
  row->addSpacing(8);
  row->addWidget(legend_, 2);
  connect(back, &QToolButton::clicked, this, [this] { model_.step(-1); });
  connect(on, &QToolButton::clicked, this, [this] { model_.step(1); });
  connect(play_, &QToolButton::clicked, this, [this] { model_.play(!model_.playing()); });
  connect(eviction, &QToolButton::clicked, this, [this] { model_.go_to_next("evict"); });
  connect(compaction, &QToolButton::clicked, this, [this] { model_.go_to_next("compact"); });
  connect(position_, &QSlider::valueChanged, &model_, &PoolWalkModel::go_to);
  return box;
}

void PoolDock::take_choices() {
  PoolWalkSetting setting = model_.setting();
  setting.eviction_method = from_q(eviction_method_->currentData().toString());
  setting.compaction = from_q(compaction_->currentData().toString());
  setting.block_tokens = block_->currentData().toInt();
  setting.budget_tokens = budget_->value();
  setting.shared_prompt = shared_->isChecked();
  model_.set_setting(setting);
}

void PoolDock::show_walk() {
  const bool something = model_.size() > 0;
  pages_->setCurrentIndex(something || !model_.error().isEmpty() ? 1 : 0);
  empty_->setText(model_.available() ? tr("Preparing the walk-through…")
                                     : tr("No pool to walk through. Open a workload."));
  const QSignalBlocker quiet(position_);
  position_->setRange(0, std::max(0, model_.size() - 1));
  show_moment();
  show_legend();
}

void PoolDock::show_moment() {
  const PoolFrame* frame = model_.frame();
  grid_->show_frame(frame, model_.previous());
  what_->setText(frame != nullptr ? core_text(frame->what) : model_.error());
  gauges_->setText(model_.gauges_text());
  if (frame == nullptr) return;
  free_->setRange(0, static_cast<int>(frame->blocks.size()));
  free_->setValue(frame->free_blocks);
  const QSignalBlocker quiet(position_);
  position_->setValue(model_.at());
}

void PoolDock::show_playing() {
  play_->setIcon(icon(model_.playing() ? QStringLiteral("pause") : QStringLiteral("start"), theme_));
  const QString tip = model_.playing() ? tr("Pause") : tr("Play");
  play_->setToolTip(tip);
  play_->setAccessibleName(tip);
}

void PoolDock::show_legend() {
  using Sign = LegendItem::Sign;
  const auto item = [](const QString& text, const QString& tip, const QColor& color) {
    LegendItem made;
    made.text = text;
    made.tip = tip;
    made.sign = Sign::swatch;
    made.color = color;
    return made;
  };
  legend_->set_items(
      {item(tr("live"), tr("KV entry that the sequence uses"), PoolGrid::live_color(theme_)),
       item(tr("dead"), tr("Evicted KV entry whose block is not freed"), PoolGrid::dead_color(theme_)),
       item(tr("shared"), tr("In a block that two block tables reference"), PoolGrid::shared_color(theme_)),
       item(tr("framed: just changed"), tr("Differs from the previous step"), theme_.text)});
}

ChartTable PoolDock::table() const {
  const std::vector<QStringList> rows = model_.rows();
  return {rows.front(), QVector<QStringList>(rows.begin() + 1, rows.end())};
}

void PoolDock::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  model_.play(false);
}

void PoolDock::set_theme(const Theme& theme) {
  theme_ = theme;
  grid_->set_theme(theme);
  if (session_page_ != nullptr) session_page_->set_theme(theme);
  legend_->set_theme(theme);
  show_legend();
  show_playing();
}

}  // namespace kvantage
