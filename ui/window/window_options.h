// What the window gets from whoever makes it: its settings file, what it may open, what it can ask.
#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/column_table.h"
#include "core/experiments/claims.h"
#include "core/ports/asker.h"
#include "core/ports/inspector.h"
#include "core/ports/model_catalog.h"
#include "core/ports/pool_walk.h"
#include "core/ports/request_spans.h"
#include "core/ports/run_library.h"
#include "core/ports/session.h"
#include "core/workload/asked_question.h"
#include "ui/experiments/experiment_host.h"
#include "ui/files/import_dialog.h"
#include "ui/files/serving_opener.h"
#include "ui/files/workload_opener.h"
#include "ui/papers/model/figure_runner.h"
#include "ui/session/reading_check.h"
#include "ui/welcome/model_advice.h"
#include "ui/welcome/sample_menu.h"
#include "ui/window/about_dialog.h"
#include "ui/window/method_offer.h"

namespace kvantage {

/// Where leaving a lesson goes back to, when it was begun on another workload.
struct LessonReturn {
  QString workload;
  SessionSettings settings;
};

/// What a window begins with besides its workload: a lesson, or the settings that a lesson gives back.
struct WindowBeginning {
  QString lesson;  // a file; empty: none
  std::optional<LessonReturn> back = {};
  std::optional<SessionSettings> settings = {};
};

/// Writes the workload that is served, with one more question, into a new folder below this one. Returns that folder.
using KeepQuestion = std::function<Expected<QString>(const KeptQuestion& asked, const QString& below)>;

struct WindowOptions {
  QString settings_file;                               // empty: the user's own
  bool start_at_once = false;                          // begin serving as soon as the session is ready
  CheckWorkload check_workload = {};                   // without it no other workload can be opened from the window
  std::vector<SampleEntry> samples = {};               // that ship, for the menu
  std::vector<ShippedModelEntry> shipped_models = {};  // for Use my model
  MethodOffer methods = {};                            // that Controls may add to the candidates
  std::shared_ptr<RunLibrary> runs = {};               // recorded ones; null: nothing is recorded
  CheckWorkload check_model = {};                      // of a model folder; without it the window keeps its model
  QString workload_path = {};                          // of what is served: the recent files begin with it
  std::optional<QString> model_path =
      {};  // that serves it; empty: the default model; nothing: none does, or nobody shall know
  bool tour_at_first_start = false;
  Inspector* inspector = nullptr;     // outlives the window; without it the keep map has nothing to show
  Asker* asker = nullptr;             // outlives the window; without it no question can be asked
  KeepQuestion keep_question = {};    // without it nothing that was asked becomes a part of the workload
  const SpanSource* spans = nullptr;  // outlives the window; without it there are no time lines of requests
  WalkPool walk_pool = {};            // through evictions in a paged pool; without it that view is empty
  ProgramFacts program = {};          // for Help > About
  QString help_folder = {};           // the documentation, Markdown; empty: none
  QString lessons_folder = {};        // its *.lesson files are offered; empty: none
  QString presets_folder = {};        // published models of the simulator, for what-if planning; empty: none
  WindowBeginning begin = {};
  QString run_without_engine =
      {};  // a run file that is gone through when no engine can be had: another window holds its store
  std::shared_ptr<FigureRunner> figures = {};        // of the papers; null: none can be made here
  QString figure_results = {};                       // folder of their results; empty: they live as long as the window
  std::shared_ptr<ExperimentHost> experiments = {};  // serves their cells; null: none can be run here
  QString experiments_folder = {};                   // of their plans and results; empty: none are kept
  std::vector<PaperClaim> claims = {};               // what the papers report
  bool choose_alpha = false;                // nobody has chosen one yet: the knee of the curve, once it is known
  ReadingCheck::TextOf text_of = {};        // of contexts; empty: nobody knows
  std::function<int()> connections = {};    // programs at the session's socket; without it the session has none
  std::function<bool()> store_failed = {};  // asked where loading failed: whether another store would help
  EncodeTable encode_parquet = {};          // of reports; without it they have no Parquet
  DataImport data_import = {};              // of files of data sets; without it they are refused
  ReadServing read_serving = {};            // settings of serving systems; without it they are refused
  std::shared_ptr<const ModelCatalog> model_catalog = {};  // null: no facts of models are known
};

}  // namespace kvantage
