// Follow-up of requests: scores answers, fits costs, keeps computed caches, and dispatches events to the policy.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/hit_planner.h"
#include "core/cost/tier_monitor.h"
#include "core/inspect/context_inspector.h"
#include "core/quality/answer_quality.h"
#include "core/quality/drift_monitor.h"
#include "core/quality/quality_profiler.h"
#include "core/request/span_log.h"
#include "core/scheduler/request_scheduler.h"
#include "core/store/placement_executor.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline engine {

class RequestOutcomes final : public RequestListener {
 public:
  /// Parts to notify.
  struct Parts {
    CostModel& costs;
    HitPlanner& planner;
    AnswerQuality& quality;
    DriftMonitor& drift;
    QualityProfiler& profiler;
    ContextInspector& inspector;
    PlacementExecutor& placement;
    TierMonitor& tiers;
    RunRecorder& recorder;
    SpanKeeper& spans;
  };
  /// tiers: the session's, as of the start of a request.
  RequestOutcomes(const EngineServices& services, const Parts& parts, const std::vector<TierConfig>& tiers)
      : services_(services), parts_(parts), tiers_(tiers) {}

  void about_to_begin() override { parts_.tiers.poll(tiers_); }
  void context_served(ServedRequest& request) override;
  void answered(ServedRequest& request) override;
  void ended(ServedRequest& request) override;
  bool free_memory() override;
  void room_again() override;

  /// Whether a request has progressed since the last call far enough for placement to get a turn.
  bool take_placing_turn() { return std::exchange(placing_turn_, false); }
  /// Whether a request ended since the last call.
  bool take_ended() { return std::exchange(ended_, false); }

 private:
  void keep_original(ServedRequest& request);

  EngineServices services_;
  Parts parts_;
  const std::vector<TierConfig>& tiers_;
  bool placing_turn_ = false, ended_ = false;
};

}  // namespace kvantage::inline engine
