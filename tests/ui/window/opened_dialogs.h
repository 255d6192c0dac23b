// Every dialog of the window's own, by the source that makes it, over a window with something in every mode. Dialogs of
// files are Qt's.
#pragma once

#include <QApplication>
#include <QDateTime>
#include <QDialog>
#include <QFileDialog>
#include <QProgressDialog>
#include <QTemporaryDir>
#include <QTimer>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/experiments/paper_figures.h"
#include "tests/ui/window/filled_window.h"
#include "ui/experiments/experiments_page.h"
#include "ui/files/import_dialog.h"
#include "ui/files/remote_question.h"
#include "ui/learn/help_window.h"
#include "ui/live/contexts/imported/import_preview.h"
#include "ui/papers/charts/paper_format_dialog.h"
#include "ui/widgets/save_question.h"

namespace kvantage {

/// In the order in which they must outlive each other.
struct DialogBench {
  ScriptedWindow scripted;
  QTemporaryDir folder;
  ScriptedSession session;
  ScriptedInspector inspector{400};
  ScriptedAsker asker;
  WindowOptions options;
  FigureResults results{QString()};
  std::unique_ptr<FigureResultView> result;
  std::unique_ptr<MainWindow> window;

  DialogBench() {
    options = filled_options(scripted, folder, inspector, asker);
    options.read_serving = [](const QString&) -> Expected<ServingFile> {
      return ServingFile{"LMCache", {"tier dram: 5.00 GiB, of max_local_cpu_size"}, {"enable_p2p: no equivalent"}};
    };
    window = scripted.loaded(session, options);
    session.serve(30);
    if (!QTest::qWaitFor([this] { return run_of(*window).served() == 30; }, 60000)) qFatal("not served");
    window->resize(1280, 800);
    window->show_view("runs");
    RunsDock& runs = *window->body<RunsDock>("runs");
    if (!QTest::qWaitFor([&] { return runs.model().rowCount() == 2; }, 60000)) qFatal("no runs");
  }
  RunsDock& chosen_run() const {
    RunsDock& runs = *window->body<RunsDock>("runs");
    runs.choose({runs.model().index(0, 0).data(RunsModel::run_id_role).toString()});
    return runs;
  }
  /// By its text in English, without mnemonic.
  static void trigger(const QWidget& owner, const QString& text) {
    QList<QAction*> all = owner.actions() + owner.findChildren<QAction*>();
    for (QAction* action : all)
      if (action->text().remove('&') == text) return action->trigger();
    qFatal("no action %s", qPrintable(text));
  }
  QString write(const QString& name, const std::string& text) const {
    if (!write_text_file(folder.filePath(name).toStdString(), text)) qFatal("cannot write");
    return folder.filePath(name);
  }
  FigureResultView& kept_result() {
    FigureResult made = begin_figure("evicpress/fig8");
    made.tables = {{"Numbers", {"a"}, {{1}}}};
    results.keep({"one.json", QDateTime::currentDateTimeUtc(), 12, {}, made});
    result = std::make_unique<FigureResultView>(results);
    result->show();
    result->show_figure("evicpress/fig8");
    return *result;
  }
  /// One that has ended.
  ExperimentsPage& kept_experiment() const {
    window->show_view("experiments");
    ExperimentsPage& page = *window->body<ExperimentsPage>("experiments");
    if (!QTest::qWaitFor([&] { return !page.model().loading(); }, 60000)) qFatal("not read");
    for (const auto& [id, text] : {std::pair{"policies", "evicpress, lru"}, {"alphas", "1, 10"}, {"seeds", "0"}}) {
      QLineEdit* line = page.form().line(QString::fromLatin1(id));
      line->selectAll();
      line->del();
      QTest::keyClicks(line, text);
    }
    QTest::keyClicks(&page.form().name(), "Budgets");
    page.form().start_button().click();
    std::dynamic_pointer_cast<ScriptedExperiments>(options.experiments)->end();
    if (!QTest::qWaitFor([&] { return page.remove_button().isEnabled(); }, 60000)) qFatal("no experiment");
    return page;
  }
};

inline QDialog* visible_dialog() {
  for (QWidget* top : QApplication::topLevelWidgets())
    if (auto* dialog = qobject_cast<QDialog*>(top);
        dialog != nullptr && dialog->isVisible() && qobject_cast<QFileDialog*>(top) == nullptr)
      return dialog;
  return nullptr;
}

struct DialogRow {
  const char* source;  // in ui/
  std::function<void(DialogBench& bench)> open;
};

inline std::vector<DialogRow> dialogs_to_open_things() {
  return {{"charts/chart_table.cpp", [](DialogBench& b) { b.trigger(frontier_of(*b.window), "Show as table"); }},
          {"experiments/experiments_page.cpp", [](DialogBench& b) { b.kept_experiment().remove_button().click(); }},
          {"files/import_dialog.h",
           [](DialogBench& b) {
             DataPreview preview;
             preview.format = "generic";
             preview.entries = 3;
             preview.first = {{"body", "A long text."}, {"ask", "Who?"}, {"say", "Ada"}};
             auto* dialog = new ImportDialog("/tmp/own.jsonl", preview, {}, b.window.get());
             dialog->setAttribute(Qt::WA_DeleteOnClose);
             dialog->open();
           }},
          {"files/remote_question.cpp",
           [](DialogBench& b) { (void)ask_for_remotes(b.window.get(), "mail", {"cache.example:6379"}); }},
          {"files/serving_opener.cpp", [](DialogBench& b) { files_of(*b.window).serving()->offer("/x/lmcache.yaml"); }},
          {"files/workload_opener.cpp",
           [](DialogBench& b) { files_of(*b.window).workloads()->offer(b.options.samples.front().path); }},
          {"learn/help_window.h",
           [](DialogBench& b) {
             auto* help = new HelpWindow(b.options.help_folder, b.window.get());
             help->setAttribute(Qt::WA_DeleteOnClose);
             help->show();
           }},
          {"live/contexts/imported/import_preview.h", [](DialogBench& b) {
             const QString path = b.write("scores.csv", "set,algo,ratio,EM\nqa,none,0,90\nqa,snapkv,0.25,80\n");
             (new ImportPreview(path, "2026-11-22", b.window.get()))->open();
           }}};
}

inline std::vector<DialogRow> dialogs_of_results_and_window() {
  return {
      {"papers/charts/paper_format_dialog.h", [](DialogBench& b) { (new PaperFormatDialog(b.window.get()))->open(); }},
      {"papers/figure_question.cpp",
       [](DialogBench& b) {
         b.window->show_view("papers");
         FiguresPage& page = figures_of(*b.window);
         page.choose(to_q(paper_figures()[1].name));
         page.start();
         b.window->close();  // which asks
       }},
      {"papers/figure_result_view.cpp", [](DialogBench& b) { b.kept_result().ask_to_remove(); }},
      {"pictures/charts_export.cpp",
       [](DialogBench& b) {
         b.trigger(*b.window, QStringLiteral("Export all charts…"));
         for (QWidget* top : QApplication::topLevelWidgets())
           if (auto* chosen = qobject_cast<QFileDialog*>(top); chosen != nullptr && chosen->isVisible()) {
             emit chosen->fileSelected(b.folder.path());
             chosen->close();
           }
       }},
      {"runs/runs_dock_dialogs.cpp", [](DialogBench& b) { b.chosen_run().ask_to_delete(); }},
      {"runs/runs_dock_dialogs.cpp", [](DialogBench& b) { b.chosen_run().ask_for_page(); }},
      {"welcome/model_advice.h",
       [](DialogBench& b) {
         ModelOpeners openers;
         openers.shipped = b.options.shipped_models;
         openers.open_shipped = [](const QString&) {};
         openers.products = QStringLiteral("library");
         openers.open_folder = openers.open_file = [] {};
         (new ModelAdvice(true, std::move(openers), b.window.get()))->open();
       }},
      {"widgets/save_question.cpp", [](DialogBench& b) { say_not_saved(b.window.get(), "/nowhere/Frontier.svg"); }},
      {"window/about_dialog.h", [](DialogBench& b) { (new AboutDialog(b.options.program, b.window.get()))->open(); }},
      {"window/command_palette.h", [](DialogBench& b) { palette_of(*b.window).open_fresh(); }},
      {"window/layout/layout_menu.cpp", [](DialogBench& b) { b.trigger(*b.window, QStringLiteral("Save as…")); }}};
}

inline const std::vector<DialogRow>& dialog_rows() {
  static const std::vector<DialogRow> rows = [] {
    std::vector<DialogRow> all = dialogs_to_open_things();
    for (DialogRow& row : dialogs_of_results_and_window()) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

/// Looks at the dialog of a row while it is open, then closes it; false: none opened. A dialog may block whoever opens
/// it.
inline bool look_at_dialog(DialogBench& bench, const DialogRow& row, const std::function<void(QDialog& dialog)>& look) {
  bool looked = false;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
    QDialog* dialog = visible_dialog();
    if (dialog == nullptr) return;
    timer.stop();
    QCoreApplication::processEvents();  // laid out
    look(*dialog);
    looked = true;
    if (auto* progress = qobject_cast<QProgressDialog*>(dialog))
      emit progress->canceled();
    else
      dialog->close();
  });
  timer.start(20);
  row.open(bench);
  const bool was_open = QTest::qWaitFor([&] { return looked; }, 60000);
  (void)QTest::qWaitFor([] { return visible_dialog() == nullptr; }, 10000);
  if (auto figures = std::dynamic_pointer_cast<ScriptedFigures>(bench.options.figures); figures->running())
    figures->end(1);
  return was_open;
}

}  // namespace kvantage
