// What follows from requests: their answers are scored, what they took is learned, what they computed is kept, and the
// policy hears of it.
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
  /// Who is told.
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
  /// tiers: of the session, as they are when a request begins.
  RequestOutcomes(const EngineServices& services, const Parts& parts, const std::vector<TierConfig>& tiers)
      : services_(services), parts_(parts), tiers_(tiers) {}

  void about_to_begin() override { parts_.tiers.poll(tiers_); }
  void context_served(ServedRequest& request) override;
  void answered(ServedRequest& request) override;
  void ended(ServedRequest& request) override;
  bool free_memory() override;
  void room_again() override;

  /// Since it was asked last, a request came far enough for placements to have a turn.
  bool take_placing_turn() { return std::exchange(placing_turn_, false); }
  /// Since it was asked last, one has ended.
  bool take_ended() { return std::exchange(ended_, false); }

 private:
  void keep_original(ServedRequest& request);

  EngineServices services_;
  Parts parts_;
  const std::vector<TierConfig>& tiers_;
  bool placing_turn_ = false, ended_ = false;
};

}  // namespace kvantage::inline engine
