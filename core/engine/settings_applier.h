// Applies changed settings to a running session: tiers, policy, candidates, metric, rate. Settings are already
// validated (settings_check.h).
#pragma once

#include <functional>

#include "core/cost/cost_model.h"
#include "core/cost/tier_monitor.h"
#include "core/engine/session_board.h"
#include "core/quality/answer_quality.h"
#include "core/quality/drift_monitor.h"
#include "core/quality/quality_curves.h"
#include "core/quality/quality_profiler.h"
#include "core/scheduler/arrival_queue.h"
#include "core/store/placement_executor.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline engine {

class SettingsApplier {
 public:
  /// Parts that settings change; must outlive this.
  struct Parts {
    CostModel& costs;
    TierMonitor& tiers;
    ArrivalQueue& arrivals;
    PlacementExecutor& placement;
    AnswerQuality& quality;
    QualityCurves& curves;
    DriftMonitor& drift;
    QualityProfiler& profiler;
    RunRecorder& recorder;
    /// For parts that need only the new values.
    std::function<void(const SessionSettings& settings)> hand_on;
  };
  /// Sources of quality curves.
  struct Profiles {
    ProfileStore* store;  // null: none
    ShippedProfiles shipped;
    Digest128 model;  // with everything that affects its answers
    Digest128 workload;
  };
  using Rethrottle = std::function<Status(std::size_t tier, const TierConfig& setting)>;

  /// settings: the session's, shared with its parts; must outlive this. rethrottle: as OpenedTiers::rethrottle.
  SettingsApplier(const EngineServices& services, Parts parts, SessionBoard& board, QualityMeter& meter,
                  SessionSettings& settings, Profiles profiles, Rethrottle rethrottle)
      : services_(services),
        parts_(std::move(parts)),
        board_(board),
        meter_(meter),
        settings_(settings),
        profiles_(std::move(profiles)),
        rethrottle_(std::move(rethrottle)) {}

  /// Between two requests. A failure becomes an error event.
  void apply(const SessionSettings& settings);
  /// Replaces curves and reference answers by those of the settings' metric.
  Status load_profiles();
  /// The scope that stores curves and reference answers.
  const ProfileScope& scope() const { return scope_; }

 private:
  void publish_changes(const SessionSettings& settings);
  void apply_tiers(const SessionSettings& old);
  void apply_tier(std::size_t tier, const TierConfig& old);
  void apply_policy(const SessionSettings& old);
  void report(const Status& status, const std::string& what);

  EngineServices services_;
  Parts parts_;
  SessionBoard& board_;
  QualityMeter& meter_;
  SessionSettings& settings_;
  Profiles profiles_;
  Rethrottle rethrottle_;
  ProfileScope scope_;
};

}  // namespace kvantage::inline engine
