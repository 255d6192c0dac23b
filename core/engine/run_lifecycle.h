// Begins and ends a run: resets the state of earlier runs, records this one, and saves what outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/published_run.h"
#include "core/engine/run_settings.h"
#include "core/policy/policy.h"
#include "core/ports/run_calibration.h"
#include "core/request/span_log.h"
#include "core/store/engine_services.h"

namespace kvantage::inline engine {

/// What a run asks of the other parts of its session (session_parts.cpp).
class RunParts {
 public:
  virtual ~RunParts() = default;

  virtual void inject_all_faults(const std::vector<TierConfig>& tiers, bool enabled) = 0;

  virtual void begin_requests(bool cold) = 0;
  virtual void begin_arrivals(std::uint64_t request_limit, double requests_per_second) = 0;
  virtual void start_arrival_clock() = 0;
  virtual std::size_t warmup_requests() const = 0;

  virtual void open_record(const std::string& id, Json facts) = 0;
  virtual void begin_record() = 0;
  virtual void finish_record(const std::string& outcome) = 0;
  /// Of the run of this id, whose record is finished.
  virtual Status save_calibration(const std::string& id, const std::vector<double>& seconds) = 0;
  virtual void reset_counters() = 0;

  virtual void forget_actions() = 0;
  virtual void dispatch_event(const PolicyEvent& event) = 0;
  virtual void take_failed_writes() = 0;

  virtual void forget_popularity() = 0;
  virtual Status save_popularity() = 0;

  virtual void drop_drift_assumptions() = 0;
  virtual void forget_answers() = 0;
  virtual void restore_first_curves() = 0;
  virtual void recheck_curves() = 0;
  virtual Status time_model() = 0;
  virtual Status save_references(const ProfileScope& scope) = 0;
};

class RunLifecycle {
 public:
  /// Constants of a run besides the session's settings.
  struct Options {
    std::uint64_t seed = 0;
    bool cold_start = false;
    bool time_each_run = false;  // not of a frozen session
    bool frozen = false;
    bool endless = false;
    bool leave_out_idle = false;
    std::string workload = {};  // its name
    Digest128 workload_digest = {};
    Json facts = Json::object();                       // recorded with each run
    std::shared_ptr<RunCalibration> calibration = {};  // of the machine around each run; null: none
  };

  /// parts, published: must outlive this.
  RunLifecycle(const EngineServices& services, RunParts& parts, PublishedRun& published, SpanKeeper& spans,
               Options options)
      : services_(services), parts_(parts), published_(published), spans_(spans), options_(std::move(options)) {}

  /// Starts the workload's request sequence and the recording of events.
  void begin(const RunSettings& settings);
  /// Waits for writes in flight, or cancels them. scope: of what was learned about answers. outcome: as
  /// RunRecorder::finish().
  void finish(const std::string& outcome, const ProfileScope& scope);

 private:
  void forget_runs_before();
  Json facts_of(const std::string& id, const Json& settings) const;
  void warn(const std::string& what, const Status& saved);

  EngineServices services_;
  RunParts& parts_;
  PublishedRun& published_;
  SpanKeeper& spans_;
  Options options_;
  std::string id_;  // of the run that began last
};

}  // namespace kvantage::inline engine
