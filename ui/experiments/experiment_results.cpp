#include "ui/experiments/experiment_results.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "core/base/files.h"
#include "core/base/names.h"
#include "ui/experiments/experiment_figure.h"
#include "ui/papers/charts/paper_menu.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_button.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/save_question.h"

namespace kvantage {

ExperimentResults::ExperimentResults(QWidget* parent)
    : QWidget(parent),
      sorted_(new QSortFilterProxyModel(this)),
      headline_(plain_label()),
      notes_(plain_label()),
      which_(new QComboBox),
      charts_(new FigureCharts),
      view_(new QTableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 0, 8, 0);
  headline_->setAccessibleName(tr("Results"));
  headline_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(headline_, 1);
  which_->setAccessibleName(tr("Chart of the results"));
  which_->setToolTip(tr("What is drawn: measured points, or a metric along a setting that cells differ in"));
  which_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  which_->setMinimumContentsLength(16);
  row->addWidget(which_);
  runs_ = add_row_button(*row, tr("Show runs"), tr("Show the recorded runs of these cells in Runs"));
  export_ =
      add_row_button(*row, tr("Export"), tr("Save the table as CSV or JSON, or the chart as a picture for a paper"));
  export_->setMenu(make_export_menu(export_));
  column->addLayout(row);
  notes_->setWordWrap(true);
  notes_->setProperty("muted", true);
  notes_->setContentsMargins(8, 0, 8, 0);
  column->addWidget(notes_);
  sorted_->setSourceModel(&model_);
  sorted_->setSortRole(FigureTableModel::sort_role);
  view_->setModel(sorted_);
  view_->setSortingEnabled(true);
  view_->setAccessibleName(tr("Table of the experiment"));
  view_->setToolTip(tr("A row for each combination: means over its seeds; low and high are 95 % intervals"));
  show_as_rows(*view_);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setHandleWidth(1);
  splitter->addWidget(charts_);
  splitter->addWidget(view_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  column->addWidget(splitter, 1);
  connect(which_, &QComboBox::currentIndexChanged, this, &ExperimentResults::show_chart);
  connect(runs_, &QPushButton::clicked, this, [this] {
    QStringList ids;
    for (const std::string& id : figure().runs) ids << to_q(id);
    if (!ids.isEmpty()) emit runsRequested(ids);
  });
  clear();
}

void ExperimentResults::clear() {
  show_table(std::make_shared<const ExperimentTable>(ExperimentTable{{}, experiment_figure({}, {})}));
}

void ExperimentResults::show_table(std::shared_ptr<const ExperimentTable> made) {
  const auto before = std::exchange(made_, std::move(made));  // the charts have it until they get the new one
  const SweepTable& table = made_->table;
  const FigureTable& rows = figure().tables.front();
  const bool other_columns = model_.columnCount() != static_cast<int>(rows.columns.size());
  model_.update(rows, experiment_row_keys(rows));
  if (other_columns) {
    sorted_->sort(-1);
    view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    view_->resizeColumnsToContents();
  }
  const bool any = !rows.rows.empty();
  fill_choice();
  show_chart();
  runs_->setEnabled(!figure().runs.empty());
  export_->setEnabled(any);
  headline_->setText(any ? tr("%1 of %n cell(s) served. *: on the frontier of its budget and rate.", nullptr,
                              static_cast<int>(table.plan.cells.size()))
                               .arg(table.done)
                         : tr("No cell was served yet."));
  QStringList notes;
  for (const std::string& note : table.notes) notes << tr("%1.").arg(core_text(note));
  for (const SweepFailure& failure : table.failed)
    notes << tr("Failed: %1: %2").arg(to_q(policy_text(failure.cell)), core_text(failure.why));
  if (table.machines.size() > 1)
    notes << tr("Served on %n machine(s), whose times are not comparable.", nullptr,
                static_cast<int>(table.machines.size()));
  constexpr qsizetype max_notes = 4;
  if (notes.size() > max_notes) notes = notes.first(max_notes) << QStringLiteral("…");
  notes_->setText(notes.join('\n'));
  notes_->setVisible(!notes.isEmpty());
}

// The chosen chart stays while results come; a list that is open is left alone.
void ExperimentResults::fill_choice() {
  const QSignalBlocker quiet(which_);
  std::vector<std::pair<QString, int>> charts;
  for (const FigureTable& table : figure().tables)
    if (table.plot) charts.emplace_back(to_q(table.title), static_cast<int>(&table - figure().tables.data()));
  bool same = static_cast<int>(charts.size()) == which_->count();
  for (int i = 0; same && i < which_->count(); ++i)
    same = which_->itemText(i) == charts[static_cast<std::size_t>(i)].first;
  if (!same) {
    const QString chosen = which_->currentText();
    which_->clear();
    for (const auto& [title, table] : charts) which_->addItem(title, table);
    which_->setCurrentIndex(std::max(0, which_->findText(chosen)));
  }
  which_->setVisible(charts.size() > 1);
}

void ExperimentResults::show_chart() {
  const bool any = !figure().tables.front().rows.empty();
  charts_->show_table(any ? &figure() : nullptr, shown_table());
}

QMenu* ExperimentResults::make_export_menu(QWidget* button) {
  auto* menu = new QMenu(button);
  menu->addAction(tr("&CSV…"), this, [this] { ask_and_save(QStringLiteral("csv")); });
  menu->addAction(tr("&JSON…"), this, [this] { ask_and_save(QStringLiteral("json")); });
  add_paper_menu(*menu, this,
                 {[this] { return file_name(); },
                  [this](const QString& kind, const PaperFormat& format, const QString& path) {
                    say_saved(path, save_picture(kind, format, path));
                  }});
  return menu;
}

QString ExperimentResults::save(const QString& kind, const QString& path) const {
  const Status written = write_text_file(
      from_q(path), kind == QLatin1String("csv") ? to_csv(made_->table) : dump_json(to_json(made_->table), 1) + "\n");
  return written ? QString() : core_text(written.error().message);
}

QString ExperimentResults::save_picture(const QString& kind, const PaperFormat& format, const QString& path) const {
  if (figure().tables.front().rows.empty()) return tr("No cell was served yet.");
  return save_paper_picture(figure(), shown_table(), format, kind, path)
             ? QString()
             : tr("%1 cannot be written. Choose a writable folder with free disk space.").arg(path);
}

QString ExperimentResults::file_name() const { return to_q(as_name(figure().title, "experiment")); }

void ExperimentResults::ask_and_save(const QString& kind) {
  ask_where_to_save(
      this,
      {tr("Export results"), file_name() + '.' + kind, kind, kind.toUpper() + QStringLiteral(" (*.") + kind + ')'},
      [this, kind](const QString& path) { say_saved(path, save(kind, path)); });
}

void ExperimentResults::say_saved(const QString& path, const QString& trouble) {
  emit said(trouble.isEmpty() ? QStringLiteral("info") : QStringLiteral("warning"),
            trouble.isEmpty() ? tr("Saved: %1").arg(path) : trouble);
}

void ExperimentResults::set_theme(const Theme& theme) { charts_->set_theme(theme); }

}  // namespace kvantage
