// The parts of an engine, made once its model and tiers are there, in the order in which they need each other.
#pragma once

#include "core/engine/answer_quality.h"
#include "core/engine/arrival_queue.h"
#include "core/engine/context_inspector.h"
#include "core/engine/context_popularity.h"
#include "core/engine/cost_model.h"
#include "core/engine/drift_monitor.h"
#include "core/engine/engine.h"
#include "core/engine/hit_planner.h"
#include "core/engine/placement_executor.h"
#include "core/engine/quality_curves.h"
#include "core/engine/quality_profiler.h"
#include "core/engine/request_outcomes.h"
#include "core/engine/request_scheduler.h"
#include "core/engine/run_recorder.h"
#include "core/engine/tier_attendant.h"

namespace kvantage {

/// What parts need that is not a service to all of them; outlives them.
struct PartsSetup {
  const EngineConfig& config;
  ServingClock& serving_clock;
  QualityMeter& meter;
  ProgressReporter& progress;
  JournalSink& journal;
  InspectionMailbox& inspections;
  SpanKeeper& spans;
  ProfileStore* profiles;
  RunStore* runs;
  const SessionSettings& settings;  // as they stand
};

/// Parts hold references to each other.
class SessionParts {
 public:
  /// inject: as OpenedTiers.
  SessionParts(const EngineServices& services, const PartsSetup& setup, TierAttendant::Inject inject);
  SessionParts(const SessionParts&) = delete;
  SessionParts& operator=(const SessionParts&) = delete;

  /// Hands on what a user changed, but for tiers, metric, policy and rate.
  void use(const SessionSettings& settings);

  RunRecorder recorder;
  CostModel costs;
  HitPlanner planner;
  TierAttendant tiers;
  ArrivalQueue arrivals;
  PlacementExecutor placement;
  AnswerQuality quality;
  QualityCurves curves;
  DriftMonitor drift;
  ContextInspector inspector;
  RequestOutcomes outcomes;
  RequestScheduler requests;
  QualityProfiler profiler;
  ContextPopularity popularity;
};

}  // namespace kvantage
