#include "ui/runs/runs_dock.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QVBoxLayout>
#include <set>
#include <utility>

#include "ui/charts/chart_table.h"
#include "ui/runs/run_delegate.h"
#include "ui/text/words.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_button.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

/// At most eight after joining: repetitions of one command under one policy are one.
bool can_be_compared(const RunsModel& model, const QStringList& ids) {
  if (ids.size() < RunComparisonModel::min_runs || ids.size() > RunComparisonModel::max_read) return false;
  if (ids.size() <= RunComparisonModel::max_runs) return true;
  std::set<std::pair<std::string, std::string>> sides;
  for (const QString& id : ids) {
    const RunsModel::Row* row = model.row(model.row_of(id));
    if (row == nullptr) return false;
    const RunSummary& run = row->run.summary;
    const auto group = run.settings.is_object() ? run.settings.find("group") : run.settings.end();
    const bool grouped = run.settings.is_object() && group != run.settings.end() && group->is_string();
    sides.emplace(grouped ? group->get<std::string>() : run.run_id, run.policy);
  }
  return sides.size() <= static_cast<std::size_t>(RunComparisonModel::max_runs);
}

void fill(QComboBox& box, const QString& all, const QStringList& names) {
  const QSignalBlocker quiet(&box);
  const QString shown = box.currentData().toString();
  box.clear();
  box.addItem(all, QString());
  for (const QString& name : names) box.addItem(name, name);
  box.setCurrentIndex(std::max(0, box.findData(shown)));
}

}  // namespace

RunsDock::RunsDock(const std::shared_ptr<RunLibrary>& library, const EncodeTable& encode, QWidget* parent)
    : QWidget(parent),
      model_(library),
      comparison_(library),
      metrics_(library),
      files_(library),
      pages_(new QStackedWidget),
      table_(new QTableView),
      text_(new QLineEdit),
      workload_(new QComboBox),
      policy_(new QComboBox),
      compare_(new ComparePage(comparison_, encode != nullptr)),
      metrics_page_(new MetricsPage(metrics_)),
      theme_(theme_of(ThemeKind::light)) {
  setObjectName("dockBody");
  files_.set_parquet(encode);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  filter_.setSourceModel(&model_);
  pages_->addWidget(make_list_page());
  pages_->addWidget(compare_);
  pages_->addWidget(metrics_page_);
  column->addWidget(pages_, 1);
  column->addWidget(make_work_strip());
  connect_models();
  show_choices();
  show_buttons();
}

QWidget* RunsDock::make_list_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  text_->setPlaceholderText(tr("Filter by any column"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Filter runs"));
  text_->setToolTip(
      tr("Show only runs that contain each of these words in any column; tag:NAME finds NAME in tags only"));
  workload_->setAccessibleName(tr("Workload filter"));
  workload_->setToolTip(tr("Show only runs of one workload"));
  policy_->setAccessibleName(tr("Policy filter"));
  policy_->setToolTip(tr("Show only runs of one policy"));
  for (QComboBox* box : {workload_, policy_}) box->setMinimumContentsLength(10);
  row->addWidget(text_, 1);
  row->addWidget(workload_);
  row->addWidget(policy_);
  const auto button = [row](const QString& text, const QString& tip) { return add_row_button(*row, text, tip); };
  compare_button_ = button(tr("Compare"), tr("Compare 2–8 selected runs"));
  figures_button_ = button(tr("Metrics"), tr("Show every metric of the selected runs, with intervals and n"));
  replay_button_ = button(tr("Replay"), tr("Replay the selected run in all views"));
  report_button_ = button(tr("Report…"), report_tip());
  auto* import = button(tr("Import…"), tr("Add a run from an exported file"));
  connect(compare_button_, &QPushButton::clicked, this, &RunsDock::compare_chosen);
  connect(figures_button_, &QPushButton::clicked, this, &RunsDock::show_metrics_of_chosen);
  connect(replay_button_, &QPushButton::clicked, this, [this] { emit replayRequested(chosen().value(0)); });
  connect(report_button_, &QPushButton::clicked, this, &RunsDock::ask_for_report);
  connect(import, &QPushButton::clicked, this, &RunsDock::ask_for_import);
  import->setEnabled(model_.library() != nullptr);
  column->addLayout(row);

  table_->setModel(&filter_);
  delegate_ = new RunDelegate(theme_, model_, this);
  table_->setItemDelegate(delegate_);
  table_->setAccessibleName(tr("Saved runs"));
  table_->setToolTip(
      tr("One row per recorded run. Select 2–8 to compare them; repetitions of a command count as one."));
  table_->setSortingEnabled(true);
  table_->sortByColumn(RunsModel::started, Qt::DescendingOrder);
  show_as_rows(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  make_actions();
  column->addWidget(table_, 1);
  empty_ = new EmptyNote(*table_, [this] { return empty_text(); });
  return page;
}

QWidget* RunsDock::make_work_strip() {
  strip_ = new QWidget;
  auto* row = new QHBoxLayout(strip_);
  row->setContentsMargins(8, 0, 8, 4);
  count_ = plain_label();
  count_->setProperty("muted", true);
  file_work_ = new WorkLine(tr("reading or writing files"));
  file_work_->cancel().setToolTip(tr("Stop and delete what was written so far"));
  reading_work_ = new WorkLine(tr("comparing or computing metrics"));
  row->addWidget(count_);
  row->addStretch(1);
  row->addWidget(reading_work_);
  row->addWidget(file_work_);
  connect(file_work_, &WorkLine::cancelled, &files_, &RunFiles::cancel);
  connect(reading_work_, &WorkLine::cancelled, &comparison_, &RunComparisonModel::cancel);
  connect(reading_work_, &WorkLine::cancelled, &metrics_, &RunMetricsModel::cancel);
  return strip_;
}

void RunsDock::connect_models() {
  connect(text_, &QLineEdit::textChanged, &filter_, &RunsFilter::set_text);
  connect(workload_, &QComboBox::currentIndexChanged, this,
          [this] { filter_.set_workload(workload_->currentData().toString()); });
  connect(policy_, &QComboBox::currentIndexChanged, this,
          [this] { filter_.set_policy(policy_->currentData().toString()); });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsDock::show_buttons);
  connect(&model_, &RunsModel::choicesChanged, this, &RunsDock::show_choices);
  connect(&model_, &RunsModel::filling, &filter_, &RunsFilter::set_filling);
  connect(&model_, &RunsModel::refreshed, this, [this] {
    show_awaited();
    empty_->update_text();
    show_buttons();
  });
  for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&filter_, signal, this, &RunsDock::show_buttons);
  connect(&filter_, &QAbstractItemModel::layoutChanged, this, [this] { show_buttons(); });
  const auto warn = [this](const QString& message) { emit said(QStringLiteral("warning"), message); };
  connect(&model_, &RunsModel::failed, this, warn);
  connect(&comparison_, &RunComparisonModel::failed, this, [this, warn](const QString& message) {
    if (comparison_.sides() == 0) pages_->setCurrentIndex(0);
    warn(message);
  });
  connect(&files_, &RunFiles::failed, this, warn);
  connect(compare_, &ComparePage::said, this, &RunsDock::said);
  connect(compare_, &ComparePage::runRequested, this, &RunsDock::open_run);
  connect(compare_, &ComparePage::reportRequested, this, &RunsDock::ask_for_report_of_comparison);
  connect(compare_, &ComparePage::backRequested, this, [this] {
    comparison_.clear();
    pages_->setCurrentIndex(0);
    table_->setFocus();
  });
  connect(metrics_page_, &MetricsPage::backRequested, this, [this] {
    metrics_.clear();
    pages_->setCurrentIndex(0);
    table_->setFocus();
  });
  connect(&metrics_, &RunMetricsModel::failed, this, [this, warn](const QString& message) {
    if (metrics_.rowCount() == 0) pages_->setCurrentIndex(0);
    warn(message);
  });
  connect(&comparison_, &RunComparisonModel::progress, this,
          [this](int done, int total) { reading_work_->show_work(tr("Comparing"), done, total); });
  connect(&metrics_, &RunMetricsModel::progress, this,
          [this](int done, int total) { reading_work_->show_work(tr("Computing metrics"), done, total); });
  const auto read = [this] { reading_work_->setVisible(comparison_.busy() || metrics_.busy()); };
  connect(&comparison_, &RunComparisonModel::busyChanged, this, read);
  connect(&metrics_, &RunMetricsModel::busyChanged, this, read);
  // Back to the list where there is nothing else to show.
  connect(&comparison_, &RunComparisonModel::cancelled, this, [this] {
    if (comparison_.sides() == 0 && comparing()) pages_->setCurrentIndex(0);
  });
  connect(&metrics_, &RunMetricsModel::cancelled, this, [this] {
    if (metrics_.rowCount() == 0 && showing_metrics()) pages_->setCurrentIndex(0);
  });
  connect(&files_, &RunFiles::progress, this, [this](const QString& what, int done, int total) {
    if (!files_.busy()) return;
    file_work_->show_work(what, done, total);
  });
  const auto ended = [this] { file_work_->hide(); };
  connect(&files_, &RunFiles::finished, this, [this, ended](const QString& text) {
    ended();
    emit said(QStringLiteral("info"), text);
  });
  connect(&files_, &RunFiles::cancelled, this, [this, ended] {
    ended();
    emit said(QStringLiteral("info"), tr("Canceled; no files were left behind"));
  });
  connect(&files_, &RunFiles::failed, this, ended);
  connect(&files_, &RunFiles::imported, this, [this] { model_.refresh(); });
  timer_.setInterval(refresh_ms);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (isVisible()) model_.refresh();
  });
  timer_.start();
}

QString RunsDock::empty_text() const {
  if (!model_.library())
    return tr("Runs are not recorded. Start kvantage with --db FILE to record them and list them here.");
  if (!model_.listed_once()) return tr("Reading the list of runs…");
  if (model_.rowCount() > 0)
    return tr("No run matches the filter. Clear the filter or select another workload or policy.");
  return tr("No runs yet. A run is recorded once you press Start. You can also import a run file.");
}

QString RunsDock::report_tip() const {
  return files_.writes_parquet() ? tr("Write a report on the selected runs: HTML, PDF, CSV, JSON, LaTeX and Parquet")
                                 : tr("Write a report on the selected runs: HTML, PDF, CSV, JSON and LaTeX");
}

void RunsDock::show_choices() {
  fill(*workload_, tr("all workloads"), model_.workloads());
  fill(*policy_, tr("all policies"), model_.policies());
}

void RunsDock::show_buttons() {
  const qsizetype count = table_->selectionModel()->selectedRows().size();
  compare_button_->setEnabled(can_be_compared(model_, chosen()));
  compare_button_->setText(count >= RunComparisonModel::min_runs ? tr("Compare %1").arg(count) : tr("Compare"));
  figures_button_->setEnabled(count >= 1);
  replay_button_->setEnabled(count == 1);
  report_button_->setEnabled(count >= 1);
  for (const auto& [action, possible] : actions_) action->setEnabled(possible(count));
  const int all = model_.rowCount(), shown = filter_.rowCount();
  count_->setText(all == 0       ? QString()
                  : shown == all ? tr("%n run(s)", nullptr, all)
                                 : tr("%1 of %n run(s)", nullptr, all).arg(shown));
}

QStringList RunsDock::chosen() const {
  QStringList ids;
  QModelIndexList rows = table_->selectionModel()->selectedRows();  // oldest first, however the table is sorted
  std::ranges::sort(rows, {}, [this](const QModelIndex& at) { return filter_.mapToSource(at).row(); });
  for (const QModelIndex& at : rows) ids << at.data(RunsModel::run_id_role).toString();
  return ids;
}

void RunsDock::choose(const QStringList& run_ids) {
  QItemSelection selection;
  for (const QString& id : run_ids)
    if (const QModelIndex at = filter_.mapFromSource(model_.index(model_.row_of(id), 0)); at.isValid())
      selection.select(at, at);
  table_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsDock::show_metrics_of_chosen() {
  pages_->setCurrentWidget(metrics_page_);
  metrics_.show_runs(chosen());
}

void RunsDock::open_run(const QString& run_id) {
  show_runs({run_id});
  opening_ = true;
  if (awaited_.isEmpty()) show_opened();
}

void RunsDock::show_opened() {
  if (!std::exchange(opening_, false) || chosen().isEmpty()) return;
  show_metrics_of_chosen();
  metrics_page_->table().setFocus();
  const QString id = chosen().front();
  const RunsModel::Row* row = model_.row(model_.row_of(id));
  const bool here = id == model_.present_run();
  if (row && !row->ended() && (here || row->being_recorded()))
    emit said(
        QStringLiteral("info"),
        here ? tr("Run %1 is still running; these metrics cover it so far. Press Metrics in Runs to update them.")
                   .arg(id)
             : tr("Run %1 is still running in another window; these metrics cover it so far. Press Metrics in Runs to "
                  "update them.")
                   .arg(id));
}

void RunsDock::show_runs(const QStringList& run_ids) {
  opening_ = false;
  pages_->setCurrentIndex(0);
  awaited_ = run_ids;
  const bool listed = std::ranges::all_of(run_ids, [this](const QString& id) { return model_.row_of(id) >= 0; });
  if (listed)
    show_awaited();
  else
    model_.refresh();
}

// A run that has just begun is listed a moment later; a requested run is shown even if the filter hides it.
void RunsDock::show_awaited() {
  const auto row_of = [this](const QString& id) { return model_.row_of(id); };
  const auto first = std::ranges::find_if(awaited_, [&](const QString& id) { return row_of(id) >= 0; });
  if (first == awaited_.end()) return;
  const auto shown = [&](const QString& id) { return filter_.mapFromSource(model_.index(row_of(id), 0)); };
  if (std::ranges::any_of(awaited_, [&](const QString& id) { return row_of(id) >= 0 && !shown(id).isValid(); })) {
    text_->clear();
    workload_->setCurrentIndex(0);
    policy_->setCurrentIndex(0);
  }
  choose(awaited_);
  table_->scrollTo(shown(*first));
  awaited_.clear();
  show_opened();
}

void RunsDock::compare_chosen() {
  pages_->setCurrentWidget(compare_);
  comparison_.compare(chosen());
}

QMenu* RunsDock::make_menu() {
  auto* menu = new QMenu(this);
  menu->addActions(table_->actions());
  return menu;
}

void RunsDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  model_.refresh();
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"2026-11-22 10:51:08", "fixed(knorm,0.5)", "sensitivity-mix", "0.0123", "alpha, dram budget",
                        "99999", "999.9 ms", "0.999", "running in another window", "slides, slow disk",
                        "dram 12.0 MiB, ssd 28.0 MiB", "kvantage-12M", "a note of some words"});
}

void RunsDock::set_theme(const Theme& theme) {
  theme_ = theme;
  compare_->set_theme(theme);
  table_->viewport()->update();
}

}  // namespace kvantage
