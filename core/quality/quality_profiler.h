// Measures quality curves and decode options in spare time: first contexts without, then those whose curve is outdated.
// A step takes about as long as a layer of the model, so that requests come first.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/quality/decode_option_task.h"
#include "core/quality/profiler.h"
#include "core/quality/profiler_ports.h"
#include "core/quality/scheduled_curves.h"
#include "core/request/load_task.h"
#include "core/runtime/progress.h"
#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"
#include "core/store/run_journal.h"

namespace kvantage::inline quality {

/// The profiler's view of requests.
class RequestsBesideProfiling {
 public:
  virtual ~RequestsBesideProfiling() = default;
  virtual bool any() const = 0;
  /// The batch has a free place, and no running request has been delayed by a profiling step yet.
  virtual bool leave_time() const = 0;
  /// A request arrived, at a rate, and the batch has a place for it.
  virtual bool one_could_begin() const = 0;
  virtual bool come_at_a_rate() const = 0;
  virtual void profile_step_begins() = 0;
  /// By the serving clock.
  virtual void profile_step_ended(std::int64_t began_ns, std::int64_t ended_ns) = 0;
};

class QualityProfiler {
 public:
  struct Measuring {
    MeasuredCurves& curves;
    DriftedContexts& drift;
    ReferenceAnswers& references;
    QualityMeter& meter;
    CellSchedule* schedule = nullptr;  // null: whole curves
  };
  /// The record of the run in progress, if any.
  struct Recording {
    RunJournal& journal;
    RunCounters& counters;
  };
  struct Options {
    ProfileStore* store = nullptr;  // persists curves; null: only requested contexts are profiled
    int max_answer_tokens = 48;     // for questions without a limit
  };

  QualityProfiler(const EngineServices& services, const Clock& serving_clock, const Measuring& measuring,
                  RequestsBesideProfiling& requests, const Recording& run, ProgressReporter& progress,
                  const Options& options)
      : services_(services),
        serving_clock_(serving_clock),
        measuring_(measuring),
        scheduled_(measuring.curves, measuring.schedule),
        requests_(requests),
        run_(run),
        progress_(progress),
        options_(options) {}

  /// Switches the scope of curves and reference answers; the measurement in progress is dropped.
  void use_scope(ProfileScope scope);
  /// Checks contexts whose profiling failed, or that are complete, again.
  void recheck_curves() { curves_complete_ = false; }
  void retry_failed();

  /// Profiles every context, whatever the policy and run state.
  void profile_everything();
  /// True once, when profile_everything() is complete.
  bool finish_everything();
  void stop();

  /// Whether there is something to do. runs: requests are served under a planning policy.
  bool wanted(bool runs);
  /// The same for a frozen run, which waits for it.
  bool settles();
  /// Whether the requests leave space for a step.
  bool may_step() const { return !lacks_room_ && requests_.leave_time(); }
  /// Runs steps for about `seconds`, finishing the last one; requests_begin: stops early when a request could begin.
  /// Returns the context whose curve changed during a run, of which the policy must be notified. Each context's failure
  /// is reported once. So is a method's: its cells are left out, and the curve has those of the others.
  std::optional<Digest128> step(double seconds, bool requests_begin);

  /// Frees its memory for requests and restarts once one has ended, with half as many forms at once; false if it held
  /// none.
  bool free_memory();
  /// A request has ended: there may be space again.
  void retry() { lacks_room_ = false; }
  /// For a cold start: drops all re-profiled curves.
  void restore_first_curves();

 private:
  struct ActiveProfile {
    std::size_t context = 0;
    bool after_drift = false;
    std::int64_t start_ns = 0;
    KvCache cache;                         // the original, filled layer by layer
    std::unique_ptr<PrefillTask> prefill;  // computes the original
    std::unique_ptr<LoadTask> load;        // or reads it from the archive
    // Once the original is complete, one after the other; null: not wanted.
    std::unique_ptr<ProfileTask> task = {};
    std::unique_ptr<DecodeOptionTask> options = {};
    std::vector<std::size_t> asked = {};    // after a drift: the questions that it is measured on
    std::vector<ScheduledCell> cells = {};  // scheduled; empty: the whole curve
    double prefill_seconds = 0;             // of computing the original; 0: it was there
    bool has_original() const { return task != nullptr || options != nullptr; }
    bool done() const {
      return has_original() && (task == nullptr || task->done()) && (options == nullptr || options->done());
    }
  };
  std::optional<std::size_t> next_unprofiled(bool original_needed);
  std::optional<std::size_t> next_drifted() const;
  Status begin(std::size_t context, bool after_drift);
  Status begin_answers(KvCache cache, Observation observed);
  Status read_original();
  Status take_computed_original();
  Status one_step();
  Expected<std::optional<Digest128>> steps(double seconds, bool requests_begin);
  Expected<std::optional<Digest128>> take_curve();
  void end_if_complete();
  Status give_up(std::size_t context, Error error);

  EngineServices services_;
  const Clock& serving_clock_;
  Measuring measuring_;
  ScheduledCurves scheduled_;
  RequestsBesideProfiling& requests_;
  Recording run_;
  ProgressReporter& progress_;
  Options options_;
  ProfileScope scope_;
  std::unique_ptr<ActiveProfile> active_;
  bool everything_ = false;
  std::set<std::size_t> unprofilable_;      // profiling failed: not retried until requested
  std::set<std::string> reported_methods_;  // that could not score a context
  bool curves_complete_ = false;            // as far as is known, nothing is left to profile
  bool lacks_room_ = false;                 // until a request ends
  ProfileWidth width_;                      // fewer forms once requests took the memory of these
};

}  // namespace kvantage::inline quality
