// The parts of an engine, constructed in dependency order once model and tiers are open.
#pragma once

#include <memory>

#include "core/cost/cost_model.h"
#include "core/cost/hit_planner.h"
#include "core/cost/tier_monitor.h"
#include "core/engine/context_popularity.h"
#include "core/engine/engine.h"
#include "core/engine/request_outcomes.h"
#include "core/engine/run_lifecycle.h"
#include "core/engine/settings_applier.h"
#include "core/inspect/context_inspector.h"
#include "core/inspect/text_asker.h"
#include "core/quality/answer_quality.h"
#include "core/quality/drift_monitor.h"
#include "core/quality/quality_curves.h"
#include "core/quality/quality_profiler.h"
#include "core/quality/racing_cells.h"
#include "core/scheduler/arrival_queue.h"
#include "core/scheduler/request_scheduler.h"
#include "core/store/placement_executor.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline engine {

/// Inputs of parts besides the shared services; must outlive them.
struct PartsSetup {
  const EngineConfig& config;
  ServingClock& serving_clock;
  QualityMeter& meter;
  ProgressReporter& progress;
  JournalSink& journal;
  ViewerMailboxes& viewers;
  SpanKeeper& spans;
  ProfileStore* profiles;
  RunStore* runs;
  const SessionSettings& settings;  // current values
};

/// Not copyable: parts hold references to each other.
class SessionParts {
 public:
  /// inject: as OpenedTiers.
  SessionParts(const EngineServices& services, const PartsSetup& setup, TierMonitor::Inject inject);
  SessionParts(const SessionParts&) = delete;
  SessionParts& operator=(const SessionParts&) = delete;

  /// Passes on changed settings, except tiers, metric, policy and rate.
  void use(const SessionSettings& settings);
  RunParts& of_a_run() { return *of_a_run_; }
  SettingsParts& of_settings() { return *of_settings_; }

 private:
  // What the parts that move all others see of them.
  const std::unique_ptr<OutcomeParts> of_outcomes_;
  const std::unique_ptr<RunParts> of_a_run_;
  const std::unique_ptr<SettingsParts> of_settings_;
  const std::unique_ptr<HitChoice> choice_;  // what the scheduler sees of the planner

 public:
  RunRecorder recorder;
  CostModel costs;
  HitPlanner planner;
  TierMonitor tiers;
  ArrivalQueue arrivals;
  PlacementExecutor placement;
  AnswerQuality quality;
  QualityCurves curves;
  RacingCells racing;
  DriftMonitor drift;
  ContextInspector inspector;
  TextAsker asker;
  RequestOutcomes outcomes;
  RequestScheduler requests;
  QualityProfiler profiler;
  ContextPopularity popularity;
};

}  // namespace kvantage::inline engine
