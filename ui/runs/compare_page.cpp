#include "ui/runs/compare_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "core/report/table.h"
#include "ui/charts/chart_table.h"
#include "ui/files/private_file.h"
#include "ui/runs/compare/forest_paint.h"
#include "ui/runs/compare/model/compare_export.h"
#include "ui/session/selection.h"
#include "ui/text/words.h"
#include "ui/widgets/current_page.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/save_question.h"
#include "ui/widgets/stacking_row.h"

namespace kvantage {
namespace {

QPushButton* compare_button(const QString& text, const QString& tip) {
  auto* made = new QPushButton(text);
  made->setToolTip(tip);
  made->setAccessibleName(tip);
  made->setAutoDefault(false);
  return made;
}

/// A choice of a run with its label; as narrow as the page needs it.
QWidget* labeled_run(const QString& label, QComboBox& box, const QString& tip) {
  auto* part = new QWidget;
  auto* row = new QHBoxLayout(part);
  row->setContentsMargins(0, 0, 0, 0);
  auto* named = new QLabel(label);
  named->setProperty("muted", true);
  named->setBuddy(&box);
  box.setAccessibleName(label);
  box.setToolTip(tip);
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMinimumContentsLength(12);
  row->addWidget(named);
  row->addWidget(&box, 1);
  return part;
}

}  // namespace

ComparePage::ComparePage(RunComparisonModel& model, bool parquet, QWidget* parent)
    : QWidget(parent),
      model_(model),
      forest_(model),
      title_(plain_label()),
      marks_(plain_label()),
      baseline_(new QComboBox),
      other_(new QComboBox),
      all_runs_(new QCheckBox(tr("Plot all runs"))),
      periods_(new QCheckBox(tr("Split by setting changes"))),
      splitter_(new QSplitter(Qt::Horizontal)),
      forest_table_(new ForestTable(forest_)),
      legend_(new LegendStrip),
      tabs_(new QTabWidget),
      settings_(new SettingsPage(model, forest_)),
      contexts_(new ContextsPage(model, forest_)),
      summary_(new SummaryPage(model, forest_)),
      chart_(new CompareChart(model)),
      values_(new ValuesTable(model)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addLayout(make_head_row(parquet));
  column->addWidget(make_choices());
  splitter_->setHandleWidth(1);
  splitter_->setChildrenCollapsible(false);
  splitter_->addWidget(make_forest());
  splitter_->addWidget(make_tabs());
  splitter_->setStretchFactor(0, 2);
  splitter_->setStretchFactor(1, 1);
  column->addWidget(splitter_, 1);
  connect_views();
  show_comparison();
}

QLayout* ComparePage::make_head_row(bool parquet) {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  auto* back = compare_button(tr("← Runs"), tr("Back to the list of runs"));
  auto* copy = compare_button(tr("Copy"), tr("Copy the comparison as tab-separated text"));
  auto* save = compare_button(tr("Export"), tr("Save the comparison as CSV, LaTeX or pgfplots"));
  save->setMenu(make_export_menu(save));
  auto* report = compare_button(
      tr("Report…"),
      parquet
          ? tr("Write a report on these runs and their differences from the baseline: HTML, PDF, CSV, JSON, LaTeX and "
               "Parquet")
          : tr("Write a report on these runs and their differences from the baseline: HTML, PDF, CSV, JSON and LaTeX"));
  title_->setProperty("heading", true);
  marks_->setProperty("muted", true);
  row->addWidget(back);
  row->addWidget(title_);
  row->addSpacing(12);
  row->addWidget(marks_);
  row->addStretch(1);
  for (QPushButton* made : {copy, save, report}) row->addWidget(made);

  connect(back, &QPushButton::clicked, this, &ComparePage::backRequested);
  connect(copy, &QPushButton::clicked, this, [this] {
    QApplication::clipboard()->setText(model_.to_text());
    emit said(QStringLiteral("info"), tr("Comparison copied to the clipboard"));
  });
  connect(report, &QPushButton::clicked, this, &ComparePage::reportRequested);
  for (QPushButton* made : {copy, save, report})
    connect(&model_, &RunComparisonModel::busyChanged, made, [made](bool busy) { made->setEnabled(!busy); });
  return row;
}

QMenu* ComparePage::make_export_menu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  const auto add = [this, menu](const QString& kind, const QString& text, const QString& tip) {
    QAction* made = menu->addAction(text);
    made->setStatusTip(tip);
    made->setToolTip(tip);
    made->setProperty(export_property, true);
    connect(made, &QAction::triggered, this, [this, kind] { ask_and_save(kind); });
  };
  add(QStringLiteral("csv"), tr("&CSV…"), tr("Save the comparison as CSV in full precision"));
  add(QStringLiteral("tex"), tr("&LaTeX, all runs…"), tr("Save the comparison as LaTeX tables"));
  menu->addSeparator();
  add(QStringLiteral("booktabs"), tr("LaTeX for &booktabs, two runs…"),
      tr("Save the two runs as a table; the document must load booktabs"));
  add(QStringLiteral("forest"), tr("pgfplots of the &forest plot…"),
      tr("Save the differences as a tikzpicture; the document must load pgfplots"));
  add(QStringLiteral("contexts"), tr("pgfplots of the c&ontexts…"),
      tr("Save the metric by context as a tikzpicture; the document must load pgfplots"));
  return menu;
}

QWidget* ComparePage::make_choices() {
  auto* row = new StackingRow(12);
  row->setContentsMargins(8, 0, 8, 0);
  row->add(labeled_run(tr("Baseline"), *baseline_, tr("Run that the others are compared with")), 1);
  row->add(labeled_run(tr("Compared run"), *other_, tr("Run whose differences from the baseline are shown")), 1);
  all_runs_->setAccessibleName(tr("Plot all runs"));
  all_runs_->setToolTip(tr("All runs in one plot, each in the color of its policy with its letter; up to %1 runs")
                            .arg(ForestModel::max_plotted));
  periods_->setAccessibleName(tr("Split by setting changes"));
  periods_->setToolTip(tr("One column for each period of a run with constant settings"));
  row->add(all_runs_, 0);
  row->add(periods_, 0);
  return row;
}

QWidget* ComparePage::make_forest() {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(forest_table_, 1);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 2);
  row->addWidget(legend_, 1);
  column->addLayout(row);
  legend_->set_items(forest_legend(theme_of(ThemeKind::light)));
  return part;
}

QWidget* ComparePage::make_tabs() {
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Details of the comparison"));
  const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
    tabs_->setTabToolTip(tabs_->addTab(page, title), tip);
  };
  add(settings_, tr("Settings"), tr("Settings of the two runs that differ"));
  add(contexts_, tr("Contexts"), tr("One metric by context, the baseline against the other run"));
  add(summary_, tr("Summary"), tr("The comparison in sentences, with cautions"));
  add(chart_, tr("Chart"), tr("TTFT against quality of all compared runs"));
  add(values_, tr("Values"), tr("Every value of all compared runs, with intervals and n"));
  ask_for_current_page_only(*tabs_);
  return tabs_;
}

void ComparePage::connect_views() {
  connect(chart_, &CompareChart::runPicked, this, &ComparePage::runRequested);
  connect(periods_, &QCheckBox::clicked, &model_, &RunComparisonModel::set_periods);
  connect(baseline_, &QComboBox::activated, &model_, &RunComparisonModel::set_baseline);
  connect(other_, &QComboBox::activated, this, [this] { forest_.set_other(other_->currentData().toInt()); });
  connect(all_runs_, &QCheckBox::toggled, &forest_, &ForestModel::plot_all);
  connect(forest_table_, &ForestTable::metricChosen, contexts_, &ContextsPage::show_metric);
  connect(forest_table_, &ForestTable::metricOpened, this, &ComparePage::open_metric);
  connect(forest_table_, &ForestTable::fitted, this, &ComparePage::share_width, Qt::QueuedConnection);
  connect(splitter_, &QSplitter::splitterMoved, this, [this] { shared_by_hand_ = true; });
  connect(summary_, &SummaryPage::copied, this,
          [this] { emit said(QStringLiteral("info"), tr("Summary copied to the clipboard")); });
  connect(summary_, &SummaryPage::changed, this, [this] {
    const QStringList& warnings = summary_->summary().warnings;
    const int at = tabs_->indexOf(summary_);
    tabs_->setTabText(at, warnings.isEmpty() ? tr("Summary") : tr("Summary (%1)").arg(warnings.size()));
    tabs_->setTabToolTip(at,
                         warnings.isEmpty() ? tr("The comparison in sentences, with cautions") : warnings.join('\n'));
  });
  connect(&forest_, &QAbstractItemModel::modelReset, this, &ComparePage::show_comparison);
  connect(&model_, &RunComparisonModel::busyChanged, this, [this](bool busy) {
    for (QComboBox* box : {baseline_, other_}) box->setEnabled(!busy);
    if (busy)
      title_->setText(tr("Comparing…"));
    else
      show_comparison();
  });
}

void ComparePage::follow(Selection& selection) {
  contexts_->scatter().set_context(selection.context());
  connect(&selection, &Selection::contextChanged, &contexts_->scatter(), &ContextScatter::set_context);
  connect(&contexts_->scatter(), &ContextScatter::contextPicked, &selection, &Selection::choose_context);
  share_contexts(contexts_->scatter().brush(), selection);
}

void ComparePage::open_metric(const QString& name) {
  if (!contexts_->show_metric(name)) return;  // one value per run
  tabs_->setCurrentWidget(contexts_);
  contexts_->scatter().setFocus(Qt::OtherFocusReason);
}

void ComparePage::show_comparison() {
  show_choices();
  show_periods();
  title_->setText(model_.sides() == 0 ? QString() : tr("%n run(s)", nullptr, model_.sides()));
  explain_marks();
}

void ComparePage::show_choices() {
  const QSignalBlocker quiet(baseline_), quiet_too(other_);
  baseline_->clear();
  other_->clear();
  const auto base = static_cast<int>(model_.comparison().baseline);
  for (int side = 0; side < model_.sides(); ++side) {
    baseline_->addItem(model_.side_name(side));
    if (side != base) other_->addItem(model_.side_name(side), side);
  }
  baseline_->setCurrentIndex(base);
  other_->setCurrentIndex(other_->findData(forest_.other()));
  all_runs_->setVisible(model_.sides() > 2);
  all_runs_->setEnabled(forest_.can_plot_all());
}

void ComparePage::show_periods() {
  const bool moved = model_.sides() > 0 && (model_.showing_periods() || model_.periods() > model_.sides());
  periods_->setVisible(moved);
  periods_->setEnabled(!model_.busy() && (model_.showing_periods() || model_.periods_fit()));
  periods_->setChecked(model_.showing_periods());
  periods_->setToolTip(model_.periods() <= RunComparisonModel::max_runs
                           ? tr("Settings changed during these runs. Shows one column for each period with constant "
                                "settings: %n column(s).",
                                nullptr, model_.periods())
                           : tr("Setting changes split these runs into %1 periods; at most %2 can be compared. "
                                "Select fewer runs to split them.")
                                 .arg(model_.periods())
                                 .arg(RunComparisonModel::max_runs));
}

/// "^ throttled", of those that are in the table.
void ComparePage::explain_marks() {
  QStringList words, tips;
  for (const Provenance kind :
       {Provenance::throttled, Provenance::simulated, Provenance::predicted, Provenance::imported}) {
    const auto is_used = [&](const ComparedMetric& metric) {
      return std::ranges::any_of(metric.values, [&](const auto& value) { return value && value->provenance == kind; });
    };
    if (std::ranges::none_of(model_.comparison().metrics, is_used)) continue;
    words << QString::fromLatin1(mark_of(kind)) + QLatin1Char(' ') + provenance_text(kind);
    tips << words.back() + QStringLiteral(": ") + provenance_tip(kind);
  }
  marks_->setText(words.join(QStringLiteral("   ")));
  marks_->setToolTip(tips.join(QLatin1Char('\n')));
}

// The forest plot has what it needs, and the tabs at least three tenths.
void ComparePage::share_width() {
  if (shared_by_hand_) return;
  const int all = splitter_->width() - splitter_->handleWidth();
  const int left = std::min(forest_table_->preferred_width(), all * 7 / 10);
  if (left > 0) splitter_->setSizes({left, all - left});
}

void ComparePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  QMetaObject::invokeMethod(
      this, [this] { share_width(); }, Qt::QueuedConnection);  // when the splitter has its width
}

std::string ComparePage::exported(const QString& kind) const {
  const RunComparison& comparison = model_.comparison();
  if (kind == "csv") return to_csv(comparison);
  if (kind == "tex") return to_latex(comparison);
  if (forest_.other() < 0) return {};
  const auto other = static_cast<std::size_t>(forest_.other());
  if (kind == "booktabs") return compared_booktabs(comparison, other);
  if (kind == "forest") return compared_forest_pgfplots(comparison, other);
  return compared_contexts_pgfplots(comparison, model_.details(), other, from_q(contexts_->scatter().metric()));
}

void ComparePage::ask_and_save(const QString& kind) {
  const bool csv = kind == "csv";
  const QString ending = csv ? kind : QStringLiteral("tex");
  const QString name = csv || kind == "tex" ? QStringLiteral("comparison") : QStringLiteral("comparison-") + kind;
  // However long the question is open, and whatever is compared by then.
  const QByteArray bytes = QByteArray::fromStdString(exported(kind));
  ask_where_to_save(this,
                    {tr("Save comparison"), name + '.' + ending, ending,
                     QStringLiteral("%1 (*.%2)").arg(csv ? QStringLiteral("CSV") : QStringLiteral("LaTeX"), ending)},
                    [this, bytes](const QString& path) {
                      QSaveFile file(path);
                      const bool saved = open_private(file) && file.write(bytes) == bytes.size() && file.commit();
                      if (saved)
                        emit said(QStringLiteral("info"), tr("Comparison saved: %1").arg(path));
                      else
                        say_not_saved(this, path, file.errorString());
                    });
}

void ComparePage::set_theme(const Theme& theme) {
  chart_->set_theme(theme);
  forest_table_->set_theme(theme);
  contexts_->set_theme(theme);
  values_->set_theme(theme);
  legend_->set_theme(theme);
  legend_->set_items(forest_legend(theme));
}

}  // namespace kvantage
