// A window over a real engine, wired as app/main.cpp does it, on contexts that bear compression differently.
#pragma once

#include <QAction>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/wiring/session_setup.h"
#include "tests/support/engine_harness.h"
#include "tests/support/small_workload.h"
#include "ui/main_window.h"

namespace kvantage::test {

/// Dense contexts tell each fact once, repetitive ones tell half as many twice: what is cut from these hurts less.
inline Workload mixed_workload(int contexts, int sentences, std::uint64_t seed) {
  Workload workload = small_workload(contexts, sentences, seed);
  workload.name = "mixed";
  constexpr std::size_t times = 2;
  for (std::size_t c = 1; c < workload.contexts.size(); c += 2) {
    WorkloadContext& context = workload.contexts[c];
    context.family = "repetitive";
    std::vector<std::string> facts;
    for (std::size_t at = 0; at < context.text.size();) {
      const std::size_t end = std::min(context.text.find(" . ", at), context.text.size() - 2) + 2;
      facts.push_back(context.text.substr(at, end - at));
      at = end + 1;
    }
    facts.resize(facts.size() / times);
    std::string text;
    for (std::size_t round = 0; round < times; ++round)
      for (const std::string& fact : facts) text += (text.empty() ? "" : " ") + fact;
    context.text = text;
    std::erase_if(workload.questions, [&](const WorkloadQuestion& question) {
      return question.context == c && text.find(question.gold) == std::string::npos;
    });
  }
  for (std::size_t c = 0; c < workload.contexts.size(); c += 2) workload.contexts[c].family = "dense";
  return workload;
}

/// Members in the order in which they must outlive each other.
struct LiveWindow {
  CollectingSink sink;
  LiveSession session;
  std::unique_ptr<MainWindow> window;

  struct Options {
    std::vector<std::string> tiers;
    std::string policy = "evicpress";
    bool start_at_once = false;
  };

  static Expected<LiveSession> open_engine(const std::filesystem::path& folder, const Workload& workload,
                                           const Options& live, std::vector<EventSink*> sinks) {
    SessionOptions options;
    options.model = model_directory();
    options.workload = folder / "workload";
    KV_TRY(write_workload(workload, options.workload));
    options.store = folder / "store";
    options.tiers = live.tiers;
    options.policy = live.policy;
    options.methods = {"knorm", "keydiff"};
    options.removed_fractions = {0.4, 0.8};
    options.endless = true;
    return open_session(options, std::move(sinks));
  }

  /// Opens the session as the program does; the window shows at once, while the engine loads.
  static Expected<std::unique_ptr<LiveWindow>> open(const std::filesystem::path& folder, const Workload& workload,
                                                    const Options& options) {
    auto live = std::make_unique<LiveWindow>();
    auto session = open_engine(folder, workload, options, {&live->sink});
    if (!session) return tl::unexpected(session.error());
    live->session = std::move(*session);
    live->window = std::make_unique<MainWindow>(
        live->engine(), WindowOptions{QString::fromStdString((folder / "window.ini").string()), options.start_at_once});
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
