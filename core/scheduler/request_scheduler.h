// Requests begin, run together (request_batch.h) and end: admission by blocks of the pool, preemption of the youngest
// where blocks run out. None waits for another's end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/hit_planner.h"
#include "core/inspect/context_inspector.h"
#include "core/scheduler/arrival_queue.h"
#include "core/scheduler/entry_lookup.h"
#include "core/scheduler/profiling_turns.h"
#include "core/scheduler/request_batch.h"
#include "core/scheduler/request_builder.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"

namespace kvantage::inline scheduler {

/// What requests tell the rest of the engine, and ask of it.
class RequestListener {
 public:
  virtual ~RequestListener() = default;
  /// One is about to look its context up.
  virtual void about_to_begin() = 0;
  /// Its context is known from here on; once for each request.
  virtual void context_served(ServedRequest& request) = 0;
  /// The answer is out; before context_served() where that has not been said yet.
  virtual void answered(ServedRequest& request) = 0;
  /// The last that is heard of it.
  virtual void ended(ServedRequest& request) = 0;
  /// Blocks ran out: gives up what is only cached. False: there was nothing.
  virtual bool free_memory() = 0;
  /// One has left the batch.
  virtual void room_again() = 0;
};

class RequestScheduler {
 public:
  /// What a user may change while requests are served.
  struct Settings {
    std::string policy;  // that decides, for the record
    int max_batch = 1;
    bool attend_coded = false;
  };
  struct Options {
    int max_answer_tokens = 48;  // of a question that says nothing of it
    bool frozen = false;         // one at a time, nothing is read ahead
  };

  RequestScheduler(const EngineServices& services, const Clock& serving_clock, ArrivalQueue& arrivals,
                   HitPlanner& planner, RequestListener& listener, RunCounters& counters, Options options)
      : services_(services),
        serving_clock_(serving_clock),
        arrivals_(arrivals),
        listener_(listener),
        counters_(counters),
        options_(options),
        builder_(services, serving_clock, options.max_answer_tokens),
        batch_(services, serving_clock, counters),
        lookup_(services, serving_clock, arrivals, planner, batch_, !options.frozen),
        beside_profiling_(batch_, arrivals) {}

  void use(const Settings& settings);
  /// cold: requests are numbered from 1.
  void begin_run(bool cold);

  /// Begins the next request if it is due and there is room for it; not at the end of the sequence. alone: not beside
  /// others.
  bool admit(bool alone);
  /// One turn of those that run. may_wait: for bytes, a millisecond, when there is nothing else to do.
  void step(bool may_wait);
  void cancel_all();
  /// What is read ahead is given back.
  void drop_prefetch() { lookup_.drop_prefetch(); }

  bool any() const { return !batch_.empty(); }
  bool has_free_place() const { return batch_.has_free_place(); }
  /// No token is being decoded, nothing computed or waited for.
  bool between_tokens() const { return batch_.between_tokens(); }
  /// None that runs has anything to compute.
  bool awaits_bytes_alone() const;
  RequestsNow requests_now() const;

  RequestsBesideProfiling& beside_profiling() { return beside_profiling_; }

 private:
  bool has_room(std::size_t blocks) const;
  void begin(Arrival arrival);
  void compute_step();
  void note_context(ServedRequest& request);
  void finish(std::size_t place);
  void handle_failure(const RequestBatch::Failure& failure);
  void preempt(std::size_t place);
  void cancel(std::size_t place);
  ServedRequest take_out(std::size_t place);

  EngineServices services_;
  const Clock& serving_clock_;
  ArrivalQueue& arrivals_;
  RequestListener& listener_;
  RunCounters& counters_;
  Options options_;
  RequestBuilder builder_;
  RequestBatch batch_;
  EntryLookup lookup_;
  ProfilingTurns beside_profiling_;
  std::uint64_t last_id_ = 0;
  std::size_t longest_tokens_ = 0;     // of all contexts
  std::int64_t waiting_since_ns_ = 0;  // without a rate: when the next request could have begun
  bool hold_until_one_ends_ = false;   // one was preempted: none begins beside others before another one has ended
};

}  // namespace kvantage::inline scheduler
