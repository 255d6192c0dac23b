#include "ui/window/mode_registry.h"

#include <QCoreApplication>

#include "ui/ask/ask_mode.h"
#include "ui/experiments/experiments_page.h"
#include "ui/learn/learn_page.h"
#include "ui/model_library/model_library_page.h"
#include "ui/papers/papers_mode.h"
#include "ui/runs/run_docks.h"
#include "ui/tokens/keep_map_dock.h"

namespace kvantage {
namespace {

struct ModeRegistry {
  Q_DECLARE_TR_FUNCTIONS(ModeRegistry)
};

}  // namespace

const std::vector<ModeEntry>& mode_registry() {
  using Context = const DockContext&;
  static const std::vector<ModeEntry> modes = {
      {live_mode, ModeRegistry::tr("Live"), "Ctrl+1",
       ModeRegistry::tr("The running session: Frontier, controls, tiers and requests"), "live", nullptr},
      {"ask", ModeRegistry::tr("Ask"), "Ctrl+2",
       ModeRegistry::tr("Ask your own question, and compare the answers of up to four caches"), "ask", make_ask_page},
      {"tokens", ModeRegistry::tr("Tokens"), "Ctrl+3",
       ModeRegistry::tr("Which tokens of a text a method keeps, and the answers from them"), "tokens",
       [](Context c) -> QWidget* { return new KeepMapDock(c.run, c.options.inspector); }},
      {"experiments", ModeRegistry::tr("Experiments"), "Ctrl+4",
       ModeRegistry::tr("Measure many settings: policies, α, budgets, methods, rates and seeds"), "experiments",
       make_experiments_page},
      {"runs", ModeRegistry::tr("Runs"), "Ctrl+5", ModeRegistry::tr("Recorded runs: compare, replay, report, export"),
       "runs", make_runs_dock},
      {"papers", ModeRegistry::tr("Papers"), "Ctrl+6",
       ModeRegistry::tr("Reproduce published figures and compare with the papers"), "figures", make_papers_page},
      {"learn", ModeRegistry::tr("Learn"), "Ctrl+7", ModeRegistry::tr("Guided tour, lessons, guide and glossary"),
       "learn", [](Context c) -> QWidget* { return new LearnPage(c.options.help_folder); }},
      {start_mode, ModeRegistry::tr("Welcome"), "Ctrl+8",
       ModeRegistry::tr("Samples, recent files, your own text and model"), "home", nullptr},
      {"models", ModeRegistry::tr("Models"), "Ctrl+9",
       ModeRegistry::tr("What is loaded, what fits into memory, and how fast models are here"), "models",
       make_model_library_page},
  };
  return modes;
}

}  // namespace kvantage
