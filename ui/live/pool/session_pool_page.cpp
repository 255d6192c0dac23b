#include "ui/live/pool/session_pool_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "ui/charts/model_table.h"
#include "ui/live/contexts/hovered_context.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

SessionPoolPage::SessionPoolPage(const SessionPoolModel& model, Selection* selection, QWidget* parent)
    : QWidget(parent),
      model_(model),
      selection_(selection),
      theme_(theme_of(ThemeKind::light)),
      rows_(model),
      shown_rows_(new ChosenRows(CompactionPassesModel::context_role, this)),
      text_(new QLabel),
      gauge_(new QComboBox),
      chart_(new PoolChart(model)),
      table_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(3);
  column->addWidget(make_head());
  column->addWidget(make_chart_and_passes(), 1);
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        rows_.follow();
        update_text();
        chart_->update_legend();  // it counts the same blocks as the text
      },
      120);
  connect(chart_, &PoolChart::legendUpdated, this, &SessionPoolPage::update_text);
  connect(&model_, &SessionPoolModel::changed, this, [this] { lazy_->invalidate(); });
  if (selection_ != nullptr) connect_selection();
  lazy_->invalidate();
}

QWidget* SessionPoolPage::make_head() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(8, 0, 8, 0);
  text_->setProperty("muted", true);
  text_->setWordWrap(true);
  text_->setAccessibleName(tr("The session's pool"));
  for (const PoolGauge& gauge : pool_chart_gauges()) {
    gauge_->addItem(gauge.name, gauge.id);
    gauge_->setItemData(gauge_->count() - 1, gauge.axis, Qt::ToolTipRole);
  }
  gauge_->setAccessibleName(tr("Pool gauge"));
  gauge_->setToolTip(tr("What the chart shows of the session's pool over time"));
  row->addWidget(text_, 1);
  row->addWidget(gauge_, 0, Qt::AlignTop);
  connect(gauge_, &QComboBox::currentIndexChanged, chart_, &PoolChart::set_gauge);
  return head;
}

QWidget* SessionPoolPage::make_chart_and_passes() {
  shown_rows_->setSourceModel(&rows_);
  table_->setModel(shown_rows_);
  table_->setAccessibleName(tr("Compaction passes"));
  table_->setToolTip(tr("Compaction passes of this run, newest last. Click one to select its request."));
  show_as_rows(*table_);
  for (const int column : {CompactionPassesModel::tokens, CompactionPassesModel::time})  // where room is scarce
    table_->horizontalHeader()->moveSection(table_->horizontalHeader()->visualIndex(column),
                                            CompactionPassesModel::column_count - 1);
  new EmptyNote(*table_, [] {
    return tr(
        "No compaction yet. Choose a decode-time eviction method in Controls > Decoding; a pass runs whenever an "
        "answer has grown by the compaction cadence.");
  });
  install_chart_menu(*table_, {table_, tr("Compaction passes"), [this] {
                                 lazy_->flush();
                                 return table_of(*shown_rows_);
                               }});
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(chart_);
  splitter->addWidget(table_);
  splitter->setStretchFactor(0, 55);
  splitter->setStretchFactor(1, 45);
  splitter->setSizes({550, 450});
  return splitter;
}

void SessionPoolPage::connect_selection() {
  const auto choose = [this](const QModelIndex& at) {
    if (at.isValid())
      selection_->choose_request(at.data(CompactionPassesModel::request_role).toULongLong(),
                                 at.data(CompactionPassesModel::context_role).toString());
  };
  connect(table_, &QTableView::clicked, this, choose);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this, choose](const QModelIndex& now) {
            if (table_->hasFocus()) choose(now);
          });
  connect(chart_, &PoolChart::passPicked, selection_, &Selection::choose_request);
  share_requests(chart_->brush(), *selection_);
  chart_->follow_time(selection_->time());
  connect(selection_, &Selection::contextChanged, this, &SessionPoolPage::show_selection);
  connect(selection_, &Selection::contextsChanged, this, &SessionPoolPage::show_selection);
  tell_hovered_context(*table_, CompactionPassesModel::context_role, *selection_);
}

void SessionPoolPage::update_text() {
  text_->setText(model_.text());
  text_->setToolTip(model_.tip());
}

QString SessionPoolPage::text() const {
  lazy_->flush();
  return text_->text();
}

void SessionPoolPage::show_selection() {
  QColor ground = theme_.accent;
  ground.setAlphaF(0.16f);
  shown_rows_->set_chosen(selection_ != nullptr ? selection_->context() : QString(),
                          selection_ != nullptr ? selection_->chosen_contexts() : std::set<QString>(), ground);
}

void SessionPoolPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(fitted_, true)) return;
  fit_columns(*table_, {"999.9 s", "9999", "inventory-1", "999", "99", "9999", "9.9 ms"});
}

void SessionPoolPage::set_theme(const Theme& theme) {
  theme_ = theme;
  chart_->set_theme(theme);
  show_selection();
}

}  // namespace kvantage
