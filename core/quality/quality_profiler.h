// Measures quality curves while requests leave time for it: contexts that have none, and again those whose curve no
// longer holds. A step takes about as long as a layer of the model, so that requests come first.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "core/quality/drift_monitor.h"
#include "core/quality/profiler.h"
#include "core/quality/quality_curves.h"
#include "core/request/load_task.h"
#include "core/runtime/progress.h"
#include "core/runtime/serving_clock.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline quality {

/// What profiling asks of requests, and tells them.
class RequestsBesideProfiling {
 public:
  virtual ~RequestsBesideProfiling() = default;
  virtual bool any() const = 0;
  /// There is a free place, and none that runs has waited for a step of profiling yet.
  virtual bool leave_time() const = 0;
  /// One has come, at a rate, and there is a place for it.
  virtual bool one_could_begin() const = 0;
  virtual bool come_at_a_rate() const = 0;
  virtual void profile_step_begins() = 0;
  /// By the clock of serving.
  virtual void profile_step_ended(std::int64_t began_ns, std::int64_t ended_ns) = 0;
};

class QualityProfiler {
 public:
  struct Measuring {
    QualityCurves& curves;
    DriftMonitor& drift;
    AnswerQuality& quality;
    QualityMeter& meter;
  };
  struct Options {
    ProfileStore* store = nullptr;  // where curves are kept; null: only contexts that are asked for are profiled
    int max_answer_tokens = 48;     // of a question that says nothing of it
  };

  QualityProfiler(const EngineServices& services, const Clock& serving_clock, const Measuring& measuring,
                  RequestsBesideProfiling& requests, RunRecorder& recorder, ProgressReporter& progress,
                  const Options& options)
      : services_(services),
        serving_clock_(serving_clock),
        curves_(measuring.curves),
        drift_(measuring.drift),
        quality_(measuring.quality),
        meter_(measuring.meter),
        requests_(requests),
        recorder_(recorder),
        progress_(progress),
        options_(options) {}

  /// What curves and reference answers are filed under from now on; what is being measured is given up.
  void use_scope(ProfileScope scope);
  /// Contexts whose profiling failed, and those that are complete, are looked at again.
  void recheck_curves() { curves_complete_ = false; }
  void retry_failed() { unprofilable_.clear(); }

  /// Profiles every context, whoever decides and whether a run is on.
  void profile_everything();
  /// True once, when nothing of that is left to do.
  bool finish_everything();
  void stop();

  /// Something is to be measured. runs: requests are served under a policy that plans.
  bool wanted(bool runs);
  /// The same of a frozen run, which waits for it.
  bool settles() const;
  /// There is room for a step beside the requests that there are.
  bool may_step() const { return !lacks_room_ && requests_.leave_time(); }
  /// Steps for about `seconds`, the last one finished; requests_begin: fewer where one could. Returns the context whose
  /// curve has changed under a run, which the policy must hear; what fails is said once for each context.
  std::optional<Digest128> step(double seconds, bool requests_begin);

  /// Gives up what it holds for requests, and begins again once one has ended; false where it held nothing.
  bool free_memory();
  /// A request has ended: there may be room again.
  void retry() { lacks_room_ = false; }
  /// A run that starts cold: no curve is one that was measured again.
  void restore_first_curves();

 private:
  struct ActiveProfile {
    std::size_t context = 0;
    bool after_drift = false;
    std::int64_t start_ns = 0;
    KvCache cache;                           // the original, as it comes in
    std::unique_ptr<PrefillTask> prefill;    // computes it,
    std::unique_ptr<LoadTask> load;          // or reads it from the archive
    std::unique_ptr<ProfileTask> task = {};  // once it is there
  };
  std::optional<std::size_t> next_unprofiled(bool original_needed) const;
  std::optional<std::size_t> next_drifted() const;
  Status begin();
  Status begin(std::size_t context, bool after_drift);
  Status begin_answers(KvCache cache, Observation observed);
  Status read_original();
  Status take_computed_original();
  Status one_step();
  Expected<std::optional<Digest128>> steps(double seconds, bool requests_begin);
  Expected<std::optional<Digest128>> take_curve();
  Status give_up(std::size_t context, Error error);

  EngineServices services_;
  const Clock& serving_clock_;
  QualityCurves& curves_;
  DriftMonitor& drift_;
  AnswerQuality& quality_;
  QualityMeter& meter_;
  RequestsBesideProfiling& requests_;
  RunRecorder& recorder_;
  ProgressReporter& progress_;
  Options options_;
  ProfileScope scope_;
  std::unique_ptr<ActiveProfile> active_;
  bool everything_ = false;
  std::set<std::size_t> unprofilable_;  // contexts whose profiling failed: not tried again until asked for
  bool curves_complete_ = false;        // nothing is left to profile, as far as is known
  bool lacks_room_ = false;             // until a request has ended
};

}  // namespace kvantage::inline quality
