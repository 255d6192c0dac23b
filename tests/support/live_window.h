// A window over a real engine, wired as app/main.cpp does it, on contexts that tolerate compression differently.
#pragma once

#include <QAction>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/wiring/session_setup.h"
#include "app/wiring/workload_opening.h"
#include "core/compress/method.h"
#include "core/workload/make_workload.h"
#include "profiles/run_library.h"
#include "tests/support/engine_harness.h"
#include "tests/ui/window/window_parts.h"

namespace kvantage::test {

/// Families that tolerate compression differently: the default model still answers about a meeting or from
/// examples when nine tenths of the tokens are gone, but finds no number in a registry.
inline Workload mixed_workload(std::vector<std::string> families, std::size_t contexts_per_family,
                               std::size_t min_tokens, std::uint64_t seed) {
  MakeWorkloadOptions options;
  options.name = "mixed";
  options.seed = seed;
  options.families = std::move(families);
  options.contexts_per_family = contexts_per_family;
  options.min_tokens = min_tokens;
  options.max_tokens = min_tokens + min_tokens / 8;
  options.profile_questions = 3;
  options.held_out_questions = 4;
  options.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.8, .requests = 100};
  return make_workload(options).value_or(Workload{});
}

/// Members in the order in which they must outlive each other.
struct LiveWindow {
  CollectingSink sink;
  LiveSession session;
  std::shared_ptr<RunLibrary> library;  // null: without recorded runs
  std::unique_ptr<MainWindow> window;

  struct Options {
    std::vector<std::string> tiers;
    std::string policy = "evicpress";
    bool start_at_once = false;
    bool runs = false;                    // with the library of recorded runs, as the program has it
    bool leave_core = false;              // to the window, as the program does
    std::string compute_or_load = "off";  // what is stored is loaded, however fast this machine computes
    int max_batch = 1;
    std::filesystem::path model = {};  // empty: the model that tests run on
    ProfileGridKind profile_grid = ProfileGridKind::full;
    std::optional<double> good_enough = {};
    std::optional<std::string> products = {};
  };

  static SessionOptions session_options(const std::filesystem::path& folder, const Options& live) {
    SessionOptions options;
    options.model = live.model.empty() ? model_directory() : live.model;
    options.workload = folder / "workload";
    options.store = folder / "store";
    options.tiers = live.tiers;
    options.policy = live.policy;
    options.methods = {"keydiff", "streaming_llm"};
    options.removed_fractions = {0.5, 0.9};
    options.endless = true;
    options.displayed = true;
    options.leave_core = live.leave_core;
    options.compute_or_load = live.compute_or_load;
    options.profile_grid = live.profile_grid;
    options.good_enough = live.good_enough;
    options.products = live.products;
    if (live.max_batch > 1) options.max_batch = live.max_batch;
    return options;
  }
  static Expected<LiveSession> open_engine(const std::filesystem::path& folder, const Workload& workload,
                                           const Options& live, std::vector<EventSink*> sinks) {
    const SessionOptions options = session_options(folder, live);
    KV_TRY(write_workload(workload, options.workload));
    return open_session(options, std::move(sinks));
  }

  /// Opens the session as the program does; the window shows at once, while the engine loads.
  static Expected<std::unique_ptr<LiveWindow>> open(const std::filesystem::path& folder, const Workload& workload,
                                                    const Options& options) {
    auto live = std::make_unique<LiveWindow>();
    auto session = open_engine(folder, workload, options, {&live->sink});
    if (!session) return tl::unexpected(session.error());
    live->session = std::move(*session);
    WindowOptions window{QString::fromStdString((folder / "window.ini").string()), options.start_at_once};
    window.spans = live->session.engine.get();
    window.methods = {.known = {{"kvzip", {}}, {"kivi4", {}}}, .read = [](const QString& text) -> Expected<QString> {
                        KV_ASSIGN(const auto method, parse_method(text.toStdString()));
                        return QString::fromStdString(method->text());
                      }};
    if (options.runs) {
      auto library = open_run_library(live->session.database, machine_clock());
      if (!library) return tl::unexpected(library.error());
      window.runs = live->library = std::move(*library);
    }
    window.check_workload = [session = session_options(folder, options)](const QString& path) {
      SessionOptions other = session;
      other.workload = path.toStdString();
      const Status openable = check_openable(other);
      return openable ? QString() : QString::fromStdString(openable.error().message);
    };
    live->window = std::make_unique<MainWindow>(live->engine(), std::move(window));
    live->window->show();
    return live;
  }

  Engine& engine() { return *session.engine; }

  /// An action of the menus by its text without the mnemonic: "Start", "Pause", "Stop".
  QAction* action(const QString& text) const {
    for (QAction* action : window->findChildren<QAction*>())
      if (action->text().remove('&') == text) return action;
    return nullptr;
  }

  /// Whether a request had begun and not ended when the last event was published.
  bool request_in_flight() const {
    bool in_flight = false;
    for (const Event& event : sink.events()) {
      if (std::holds_alternative<events::RequestStarted>(event.payload)) in_flight = true;
      if (std::holds_alternative<events::RequestFinished>(event.payload)) in_flight = false;
    }
    return in_flight;
  }
};

}  // namespace kvantage::test
