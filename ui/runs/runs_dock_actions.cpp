// What can be done with the chosen runs: one action each, for the right click and for the palette.
#include <QAction>
#include <QApplication>
#include <QClipboard>

#include "ui/runs/runs_dock.h"

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
    const RunsModel::Row& row = *model_.row(filter_.mapToSource(first).row());
    for (const double value : {row.ttft_seconds, row.mean_quality})
      cells << (value < 0 ? QString() : QString::number(value, 'g', 9));
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
      tr("&Compare"), tr("Compare 2–8 selected runs"), [this](qsizetype) { return compare_button_->isEnabled(); },
      [this] { compare_chosen(); });
  add(tr("&Metrics"), tr("Show every metric of the selected runs, with intervals and n"), any,
      [this] { show_metrics_of_chosen(); });
  add(tr("&Replay"), tr("Replay the selected run in all views"), one,
      [this] { emit replayRequested(chosen().value(0)); });
  add(tr("Replay a run &file…"), tr("Replay a run from a file without adding it to the list"), kept,
      [this] { ask_for_replay_file(); });
  line();
  add(tr("Write re&port…"), report_tip(), any, [this] { ask_for_report(); });
  add(tr("&Share as page…"), tr("Write the selected run as one HTML file that replays it in a browser"), one,
      [this] { ask_for_page(); });
  add(tr("Copy c&ommand line"), tr("Copy the command line that re-runs the selected run"), one, [this] {
    const QString command = files_.repeating_command(chosen().value(0));
    QApplication::clipboard()->setText(command);
    emit said(QStringLiteral("info"), tr("Copied to the clipboard: %1").arg(command));
  });
  line();
  add(tr("&Export run file…"), tr("Save the selected run as a .kvrun file, to import it on another machine"), one,
      [this] { ask_for_export(); });
  add(tr("&Import run file…"), tr("Add a run from an exported file"), kept, [this] { ask_for_import(); });
  line();
  add(tr("Edit &tags"), tr("Tags to find the selected run by"), one,
      [this] { table_->edit(table_->selectionModel()->selectedRows(RunsModel::tags).value(0)); });
  add(tr("Edit &note"), tr("Note on the selected run"), one,
      [this] { table_->edit(table_->selectionModel()->selectedRows(RunsModel::notes).value(0)); });
  add(tr("&Delete…"), tr("Delete the selected runs from the database, after a confirmation"), any,
      [this] { ask_to_delete(); });
  line();
  const ChartExport listed{table_, tr("Runs"), [this] { return as_table(); }};
  new ChartHandle(listed);
  table_->addActions(chart_actions(*table_, listed));
  open_actions_on_right_click(*table_);
}

}  // namespace kvantage
