// Begins and ends a run: resets the state of earlier runs, records this one, and saves what outlives it.
#pragma once

#include <cstdint>
#include <string>

#include "core/cost/tier_monitor.h"
#include "core/engine/context_popularity.h"
#include "core/engine/session_board.h"
#include "core/quality/answer_quality.h"
#include "core/quality/drift_monitor.h"
#include "core/quality/quality_profiler.h"
#include "core/scheduler/arrival_queue.h"
#include "core/scheduler/request_scheduler.h"
#include "core/store/placement_executor.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline engine {

class RunLifecycle {
 public:
  /// Collaborators; must outlive this.
  struct Parts {
    TierMonitor& tiers;
    RequestScheduler& requests;
    ArrivalQueue& arrivals;
    RunRecorder& recorder;
    PlacementExecutor& placement;
    ContextPopularity& popularity;
    DriftMonitor& drift;
    QualityProfiler& profiler;
    AnswerQuality& quality;
  };

  /// Constants of a run besides the session's settings.
  struct Options {
    std::uint64_t seed = 0;
    bool cold_start = false;
    bool frozen = false;
    bool endless = false;
    std::string workload = {};  // its name
    Digest128 workload_digest = {};
    Json facts = Json::object();  // recorded with each run
  };

  /// The session settings that a run uses.
  struct Settings {
    const std::vector<TierConfig>& tiers;
    std::uint64_t request_limit = 0;  // 0: the workload's
    double requests_per_second = 0;   // 0: closed loop
    Json recorded;                    // all settings, in file form
  };
  static Settings of(const SessionSettings& settings) {
    return {settings.tiers, settings.request_limit, settings.requests_per_second, to_json(settings)};
  }

  RunLifecycle(const EngineServices& services, const Parts& parts, SessionBoard& board, SpanKeeper& spans,
               Options options)
      : services_(services), parts_(parts), board_(board), spans_(spans), options_(std::move(options)) {}

  /// Starts the workload's request sequence and the recording of events.
  void begin(const Settings& settings);
  /// Waits for writes in flight, or cancels them. scope: of what was learned about answers. outcome: as
  /// RunRecorder::finish().
  void finish(const std::string& outcome, const ProfileScope& scope);

 private:
  void forget_runs_before();
  Json facts_of(const std::string& id, const Json& settings) const;
  void warn(const std::string& what, const Status& saved);

  EngineServices services_;
  Parts parts_;
  SessionBoard& board_;
  SpanKeeper& spans_;
  Options options_;
};

}  // namespace kvantage::inline engine
