// Starts, runs (request_batch.h) and ends requests: admission by blocks of the pool, preemption of the youngest when
// blocks run out. Continuous batching: no request waits for the end of another.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/inspect/context_inspector.h"
#include "core/scheduler/entry_lookup.h"
#include "core/scheduler/pool_sampler.h"
#include "core/scheduler/profiling_turns.h"
#include "core/scheduler/request_batch.h"
#include "core/scheduler/request_builder.h"
#include "core/scheduler/scheduler_ports.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"

namespace kvantage::inline scheduler {

/// Callbacks of the scheduler to the rest of the engine.
class RequestListener {
 public:
  virtual ~RequestListener() = default;
  /// A request is about to look up its context.
  virtual void about_to_begin() = 0;
  /// Its context is available from now on; once per request.
  virtual void context_served(ServedRequest& request) = 0;
  /// The answer is complete; comes before context_served() if that was not called yet.
  virtual void answered(ServedRequest& request) = 0;
  /// The last callback for a request.
  virtual void ended(ServedRequest& request) = 0;
  /// No free blocks: frees cached memory. False: there was none.
  virtual bool free_memory() = 0;
  /// A request has left the batch.
  virtual void room_again() = 0;
};

class RequestScheduler {
 public:
  /// Settings that may change during a run.
  struct Settings {
    std::string policy;  // the active one, for the record
    int max_batch = 1;
    int prefill_batch_tokens = 0;  // as in SessionSettings
    bool attend_quantized = false;
    std::string decode_eviction = "none";
    std::vector<std::string> decode_options = {};
    std::string decode_offload = "none";
    std::string speculation = "off";
    std::vector<std::string> methods = {};  // candidates
  };
  struct Options {
    int max_answer_tokens = 48;  // for questions without a limit
    bool frozen = false;         // one request at a time, no prefetch
  };

  RequestScheduler(const EngineServices& services, const Clock& serving_clock, RequestSource& arrivals,
                   HitChoice& choice, RequestListener& listener, RunCounters& counters, Options options)
      : services_(services),
        serving_clock_(serving_clock),
        arrivals_(arrivals),
        listener_(listener),
        counters_(counters),
        options_(options),
        builder_(services, serving_clock, options.max_answer_tokens),
        batch_(services, serving_clock, counters),
        pool_(services, counters),
        lookup_(services, serving_clock, arrivals, choice, batch_, !options.frozen),
        beside_profiling_(batch_, arrivals) {}

  void use(const Settings& settings);
  /// cold: request ids restart at 1.
  void begin_run(bool cold);

  /// Starts the next request if it is due and fits; not at the end of the sequence. alone: only if no other is running.
  bool admit(bool alone);
  /// One turn of the running requests. may_wait: up to a millisecond for bytes, when there is nothing else to do.
  void step(bool may_wait);
  void cancel_all();
  /// Cancels the prefetch and returns its buffers.
  void drop_prefetch() { lookup_.drop_prefetch(); }

  bool any() const { return !batch_.empty(); }
  bool has_free_place() const { return batch_.has_free_place(); }
  /// No request is decoding, computing or waiting.
  bool between_tokens() const { return batch_.between_tokens(); }
  /// All running requests wait for bytes.
  bool awaits_bytes_alone() const;
  RequestsNow requests_now() const;
  PoolReport pool_report() const { return pool_.report(batch_); }

  RequestsBesideProfiling& beside_profiling() { return beside_profiling_; }

 private:
  bool has_room(std::size_t blocks) const;
  void begin(Arrival arrival);
  void compute_step();
  void note_step(ServedRequest& request, bool was_reading);
  bool context_is_ready(RequestTask& task) const;
  void note_context(ServedRequest& request);
  void finish(std::size_t place);
  void handle_failure(const RequestBatch::Failure& failure);
  void preempt(std::size_t place);
  void cancel(std::size_t place);
  ServedRequest take_out(std::size_t place);

  EngineServices services_;
  const Clock& serving_clock_;
  RequestSource& arrivals_;
  RequestListener& listener_;
  RunCounters& counters_;
  Options options_;
  RequestBuilder builder_;
  RequestBatch batch_;
  PoolSampler pool_;
  EntryLookup lookup_;
  ProfilingTurns beside_profiling_;
  std::uint64_t last_id_ = 0;
  std::size_t longest_tokens_ = 0;     // of the longest context
  std::int64_t waiting_since_ns_ = 0;  // in a closed loop: when the next request could have started
  bool hold_until_one_ends_ = false;   // after a preemption no request is admitted next to others until one has ended
};

}  // namespace kvantage::inline scheduler
