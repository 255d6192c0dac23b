// A window whose every mode has something to show: answers, kept tokens, runs, figures, experiments, models.
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/ui/ask/scripted_asker.h"
#include "tests/ui/ask/scripted_inspector.h"
#include "tests/ui/experiments/scripted_experiments.h"
#include "tests/ui/model_library/scripted_catalog.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/ask/ask_page.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_dock.h"

namespace kvantage {

/// What each page shows something of; all outlive the window.
inline WindowOptions filled_options(ScriptedWindow& scripted, const QTemporaryDir& folder, ScriptedInspector& inspector,
                                    ScriptedAsker& asker) {
  WindowOptions made = scripted.options();
  made.inspector = &inspector;
  made.asker = &asker;
  auto library = std::make_shared<MemoryLibrary>();
  for (const char* id : {"20261122T105108Z-48213", "20261123T081500Z-00017"})
    library->runs[id] = scripted_run(id, 6, 20, 1);
  made.runs = library;
  made.figures = std::make_shared<ScriptedFigures>();
  auto experiments = std::make_shared<ScriptedExperiments>();
  experiments->base.workload = "sensitivity-mix";
  made.experiments = experiments;
  made.experiments_folder = folder.filePath("experiments");
  auto catalog = std::make_shared<ScriptedCatalog>();
  catalog->put(small_facts("/m/default", "default model"));
  made.model_catalog = catalog;
  made.shipped_models = {{"default model", "/m/default", "ships"}};
  made.model_path = QString();
  made.check_workload = made.check_model = [](const QString&) { return QString(); };
  made.samples = {{"quickstart", QStringLiteral(KVANTAGE_SOURCE_DIR "/sample_workloads/quickstart"), "what ships"}};
  made.help_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/docs");
  made.lessons_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/lessons");
  return made;
}

/// A question with answers, a text with kept tokens, runs with their metrics.
inline void fill_pages(MainWindow& window, ScriptedAsker& asker) {
  window.show_view("ask");
  AskPage& ask = *window.body<AskPage>("ask");
  QTRY_COMPARE(ask.columns().size(), max_ask_columns);
  ask.question().setText("What is the badge of Ada?");
  ask.ask_button().click();
  QVERIFY(!asker.requests.empty());
  asker.show(asker.answer(true));
  QTRY_VERIFY(!ask.model().busy());
  window.show_view("tokens");
  run_of(window).selection.choose_context(to_q(run_of(window).snapshot()->contexts[3].id));
  QTRY_VERIFY(window.body<KeepMapDock>("tokens")->model().complete());
  window.show_view("runs");
  RunsDock& runs = *window.body<RunsDock>("runs");
  QTRY_VERIFY(runs.model().rowCount() == 2 && runs.model().missing_figures() == 0);
}

}  // namespace kvantage
