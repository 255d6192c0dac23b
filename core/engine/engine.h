// The engine: one thread that loads the model, serves requests step by step, and between requests stores, compresses,
// places and profiles. It implements Session, the one interface for window, tests and command line. Only this thread
// computes (libtorch's workers below it); tiers transfer bytes on their own threads. Order of work:
// core/engine/engine_loop.h. What viewers ask besides is in ViewerPorts.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/executor.h"
#include "core/engine/display_queue.h"
#include "core/engine/session_board.h"
#include "core/engine/viewer_ports.h"
#include "core/ports/run_calibration.h"
#include "core/ports/session.h"
#include "core/ports/storage_tier.h"
#include "core/ports/stores.h"
#include "core/quality/quality_curves.h"
#include "core/request/span_log.h"
#include "core/runtime/model_runtime.h"
#include "core/workload/workload.h"

namespace kvantage::inline engine {

/// Tiers for an engine. A factory that knows the implementations opens them on the engine's thread once the model's
/// digest is known: stores of different models have different folders.
struct OpenedTiers {
  std::vector<std::unique_ptr<StorageTier>> tiers;  // as SessionSettings::tiers, fastest first
  std::unique_ptr<StorageTier> archive;
  std::unique_ptr<BufferLender> lender;
  std::vector<std::string> notes;  // what a user should know of them, one sentence each
  /// Applies a changed TierConfig (its throttle) to an open tier; capacity is set by the engine.
  std::function<Status(std::size_t tier, const TierConfig& setting)> rethrottle;
  /// Replaces the faults injected into an open tier's files and reseeds them; empty text: none. Tiers open without
  /// faults; timing has them without delays, and clearing uses the real device.
  std::function<Status(std::size_t tier, const std::string& faults)> inject;
};

struct EngineConfig {
  std::filesystem::path model;
  Workload workload;
  SessionSettings settings;
  std::uint64_t seed = 0;    // of the request sequence
  std::uint64_t warmup = 0;  // first requests of a run, excluded from tables (marked in events)
  bool cold_start = false;   // clear the budgeted tiers at the start of each run
  // Deterministic decisions: no timing enters them. Uses these costs if given (of a recorded run), else the first
  // stored ones.
  bool frozen = false;
  std::optional<events::SnapshotTaken> frozen_costs = {};
  bool endless = false;  // restart the request sequence when it ends
  // Of a run at a rate: while nothing but the next arrival is awaited, the engine's clock leaps to it after a short
  // rest. Not while a write is in flight, a placement is pending, or re-profiling is on. Times of requests stay
  // measured.
  bool leave_out_idle = false;
  Json run_facts = Json::object();  // recorded with each run, besides its settings: environment, group
  int max_answer_tokens = 48;
  Executor* executor = nullptr;  // for the threads of the engine and its tiers; never null, outlives the engine
  int threads = 0;               // 0: all cores, except the one left free
  bool leave_core = false;       // one core stays free for a window, where there are at least three
  bool displayed = false;        // a window drains events; else none are kept for that: they would fill memory
  ModelRuntimeOptions runtime;
  /// Aborts with `cancelled` shortly after `stop` returns true.
  std::function<Expected<OpenedTiers>(const Digest128& model, const SessionSettings& settings,
                                      const std::function<bool()>& stop)>
      open_tiers;
  ShippedProfiles shipped;
  RunTiming run_timing;
};

class Engine final : public Session, public ViewerPorts, public SpanSource {
 public:
  /// Stores and sinks must outlive the engine. Loading starts at once on the engine's thread; progress and failure are
  /// reported as events and by state().
  Engine(EngineConfig config, ProfileStore* profiles, RunStore* runs, std::vector<EventSink*> sinks);
  /// Cancels at the next layer, completes background writes, joins the thread.
  ~Engine() override;

  RunState state() const override { return board_.state(); }
  SessionInfo info() const override { return board_.info(); }
  void start() override;
  void pause() override;
  void step() override;
  void stop() override;
  void profile_all() override;
  void stop_profiling() override;
  Status apply(const SessionSettings& settings) override;
  SessionSettings settings() const override { return board_.settings(); }
  std::shared_ptr<const Snapshot> snapshot() const override { return board_.view().snapshot; }
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override { return board_.view().tier_reports; }
  SessionGauges gauges() const override { return board_.view().gauges; }
  std::vector<Event> drain(std::size_t limit) override { return display_.drain(limit); }

  std::shared_ptr<const RequestSpans> spans_of(std::uint64_t request) const override { return spans_.of(request); }

  /// Waits until the state is neither loading nor running, at most `seconds`.
  RunState wait_while_busy(double seconds) const { return board_.wait_while_busy(seconds); }
  /// What it serves; never changes.
  const Workload& workload() const { return config_.workload; }
  bool leaves_out_idle() const { return config_.leave_out_idle; }
  /// The scope that stores this session's profiles; valid from `ready` on.
  ProfileScope profile_scope() const { return board_.scope(); }
  /// The error behind RunState::failed.
  Error failure() const { return board_.failure(); }

 private:
  EngineConfig config_;
  ProfileStore* profiles_;
  RunStore* runs_;
  const Clock& clock_;
  DisplayQueue display_;
  SpanKeeper spans_;
  std::vector<EventSink*> sinks_;
  SessionBoard board_;
  std::unique_ptr<Executor::Thread> thread_;
};

}  // namespace kvantage::inline engine
