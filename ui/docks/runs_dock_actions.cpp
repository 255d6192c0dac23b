// What can be done with the chosen runs: one action each, for the right click and for the palette.
#include <QAction>
#include <QApplication>
#include <QClipboard>

#include "ui/docks/runs_dock.h"

namespace kvantage {
ChartTable RunsDock::as_table() const {
  ChartTable table;
  table.header << QStringLiteral("run_id");
  for (int c = 0; c < filter_.columnCount(); ++c) table.header << filter_.headerData(c, Qt::Horizontal).toString();
  table.header << QStringLiteral("ttft_service_seconds") << QStringLiteral("quality")
               << QStringLiteral("settings_moved");
  for (int r = 0; r < filter_.rowCount(); ++r) {
    const QModelIndex first = filter_.index(r, 0);
    QStringList cells{first.data(RunsModel::run_id_role).toString()};
    for (int c = 0; c < filter_.columnCount(); ++c) cells << filter_.index(r, c).data().toString();
    for (const int c : {RunsModel::ttft, RunsModel::quality}) {
      const double value = filter_.index(r, c).data(RunsModel::sort_role).toDouble();
      cells << (value < 0 ? QString() : QString::number(value, 'g', 9));
    }
    table.rows.append(cells << first.data(RunsModel::moves_role).toString());
  }
  return table;
}

void RunsDock::make_actions() {
  const auto line = [this] {
    auto* made = new QAction(table_);
    made->setSeparator(true);
    table_->addAction(made);
  };
  const auto add = [this](const QString& text, const QString& tip,
                          const std::function<bool(qsizetype chosen)>& possible, auto act) {
    auto* made = new QAction(text, table_);
    made->setStatusTip(tip);
    connect(made, &QAction::triggered, this, act);
    table_->addAction(made);
    actions_.emplace_back(made, possible);
  };
  const auto one = [](qsizetype count) { return count == 1; };
  const auto any = [](qsizetype count) { return count >= 1; };
  const auto kept = [this](qsizetype) { return model_.library() != nullptr; };
  add(
      QStringLiteral("&Compare"), QStringLiteral("Hold 2 to 8 chosen runs against each other"),
      [](qsizetype count) { return count >= RunComparisonModel::fewest && count <= RunComparisonModel::most; },
      [this] { compare_chosen(); });
  add(QStringLiteral("&Figures"), QStringLiteral("Every figure of the chosen runs, with intervals and n"), any,
      [this] { show_figures_of_chosen(); });
  add(QStringLiteral("&Replay"), QStringLiteral("Go through the chosen run again in all views"), one,
      [this] { emit replayRequested(chosen().value(0)); });
  add(QStringLiteral("Replay a run &file…"),
      QStringLiteral("Go through a run out of a file; it is not added to the list"), kept,
      [this] { ask_for_replay_file(); });
  line();
  add(QStringLiteral("Write re&port…"), QStringLiteral("Write the chosen runs as HTML, PDF, CSV, JSON and LaTeX"), any,
      [this] { ask_for_report(); });
  add(QStringLiteral("Copy repeating c&ommand"), QStringLiteral("The command that serves this run once more"), one,
      [this] {
        const QString command = files_.repeating_command(chosen().value(0));
        QApplication::clipboard()->setText(command);
        emit said(QStringLiteral("info"), QStringLiteral("On the clipboard: %1").arg(command));
      });
  line();
  add(QStringLiteral("&Export run file…"), QStringLiteral("The chosen run as a .kvrun file, to be imported elsewhere"),
      one, [this] { ask_for_export(); });
  add(QStringLiteral("&Import run file…"), QStringLiteral("Add a run from a file made by an export"), kept,
      [this] { ask_for_import(); });
  line();
  add(QStringLiteral("Edit &tags"), QStringLiteral("Words to find the chosen run by"), one,
      [this] { table_->edit(table_->selectionModel()->selectedRows(RunsModel::tags).value(0)); });
  add(QStringLiteral("Edit &note"), QStringLiteral("What there is to remember about the chosen run"), one,
      [this] { table_->edit(table_->selectionModel()->selectedRows(RunsModel::notes).value(0)); });
  add(QStringLiteral("&Delete…"), QStringLiteral("Takes the chosen runs out of the database, after a question"), any,
      [this] { ask_to_delete(); });
  line();
  const ChartExport listed{table_, QStringLiteral("Runs"), [this] { return as_table(); }};
  new ChartHandle(listed);
  table_->addActions(chart_actions(*table_, listed));
  open_actions_on_right_click(*table_);
}

}  // namespace kvantage
