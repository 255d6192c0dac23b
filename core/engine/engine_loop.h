// The loop of the engine's thread: takes commands and runs each part in turn. Priorities: commands (stop, pause,
// settings), running requests step by step, placement actions within a time limit, profiling while no request waits.
// Inspection and questions of the user's own get a short turn after each.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/engine/engine.h"
#include "core/engine/run_lifecycle.h"
#include "core/engine/session_board.h"
#include "core/engine/session_parts.h"
#include "core/engine/settings_applier.h"
#include "core/runtime/event_bus.h"
#include "core/runtime/leaping_clock.h"

namespace kvantage::inline engine {

/// The environment of an engine's loop; must outlive it. Null stores: nothing is persisted.
struct EngineSurroundings {
  const EngineConfig& config;
  const Clock& clock;
  SessionBoard& board;
  ViewerMailboxes& viewers;
  SpanKeeper& spans;
  DisplayQueue& display;
  ProfileStore* profiles;
  RunStore* runs;
  const std::vector<EventSink*>& sinks;
};

class EngineLoop {
 public:
  explicit EngineLoop(const EngineSurroundings& around);
  /// Returns when the engine is closed or loading fails.
  void run();

 private:
  // Loads model, contexts, tiers, curves, costs. The curves are shown while the model is timed.
  Status load_or_fail();
  Status load();
  Status open_store();
  Status throttle_by_prefill();
  void show_info();

  void handle_commands();
  void end_work(bool close);
  void finish_run(const std::string& outcome);
  void show_profiling_all(bool in_progress);
  ProfilingAll profiling_all_now() const;

  bool work_once();  // false: idle
  void serve();
  bool admit();
  void end_of_sequence();
  bool settle_step();
  bool profile_wanted();
  void profile_for(double seconds);
  double seconds_until_next_arrival() const;
  bool awaits_arrival_alone() const;
  void pass_idle_time();

  void set_state(RunState state);
  void publish_snapshot();
  bool in_state(RunState state) const { return around_.board.state() == state; }

  EngineSurroundings around_;
  LeapingClock clock_;  // of all parts
  ServingClock serving_clock_;
  JournalSink journal_;
  EventBus events_;
  ProgressReporter progress_;
  SessionSettings settings_;
  QualityMeter meter_;
  std::unique_ptr<ModelRuntime> runtime_;
  std::unique_ptr<Catalog> catalog_;
  OpenedTiers opened_;
  std::unique_ptr<CacheStore> store_;
  std::unique_ptr<SessionParts> parts_;
  std::optional<RunLifecycle> run_lifecycle_;
  std::optional<SettingsApplier> settings_applier_;
  bool one_step_ = false;
  bool profiles_all_ = false;   // Session::profile_all() is in progress
  bool settings_wait_ = false;  // for the running requests to end; meanwhile none is admitted
  std::int64_t snapshot_published_ns_ = 0;
};

}  // namespace kvantage::inline engine
