// What lives on the engine's thread: a loop over parts that have a class of their own (CostModel, AnswerQuality,
// ContextInspector, StoreManager, ...), and the work that has none yet, in files by subject: engine_load.cpp (model,
// contexts, tiers, profiles), engine_loop.cpp (commands and order of work), engine_run.cpp (a run begins and ends),
// engine_serve.cpp (requests come and go), engine_batch.cpp (those under way go on together), engine_prefetch.cpp (the
// next one's cache), engine_meeting.cpp (whether one is computed and loaded at once), engine_place.cpp (policy,
// placement actions, settings), engine_freeze.cpp (runs that decide alike), engine_shared.cpp (tiers that others use
// too, and that may not answer; what tiers count), engine_profile.cpp (quality curves) and engine_drift.cpp (curves
// that hold no longer).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>

#include "core/engine/answer_quality.h"
#include "core/engine/catalogue.h"
#include "core/engine/compute_or_load_choice.h"
#include "core/engine/context_inspector.h"
#include "core/engine/cost_model.h"
#include "core/engine/drift_watch.h"
#include "core/engine/engine.h"
#include "core/engine/event_bus.h"
#include "core/engine/fits.h"
#include "core/engine/journal_sink.h"
#include "core/engine/keep_map.h"
#include "core/engine/profiler.h"
#include "core/engine/request_task.h"
#include "core/engine/serving_clock.h"
#include "core/engine/store_manager.h"
#include "core/policy/quality_pool.h"

namespace kvantage {

class Engine::Worker {
 public:
  explicit Worker(Engine& engine);
  void run();

 private:
  // engine_load.cpp
  Status load();
  Status load_profiles();
  void progress(const std::string& what, std::uint64_t done, std::uint64_t total);

  // engine_faults.cpp
  /// Lets the faults of a tier's setting strike, from their seed on; with `strike` false none does.
  void inject_faults(std::size_t tier, bool strike = true);
  void inject_all_faults(bool strike = true);
  // engine_loop.cpp
  void handle_commands();
  bool work_once();  // false: nothing to do now
  RequestsNow requests_now() const;
  bool profile_wanted();
  void profile_for_a_while(double seconds);
  double seconds_until_next_arrival() const;
  void set_state(RunState state);

  // engine_run.cpp
  void begin_run();
  void finish_run(const std::string& outcome);
  void publish_engine_counted();
  void publish_snapshot();
  bool interrupted() const { return engine_.interrupt_.load(std::memory_order_relaxed); }

  // engine_serve.cpp
  /// A request as it came in: what it takes to begin it, and to begin it again.
  struct Arrived {
    std::size_t context = 0, question = 0;
    std::uint64_t id = 0;         // 0: not begun yet
    std::int64_t arrival_ns = 0;  // serving_clock_
    std::size_t shown_bytes = 0;  // of its answer, before it had to begin again
    bool counted = false;         // in its context's frequency, then already
  };
  struct Running {
    Arrived arrived;
    std::unique_ptr<RequestTask> task;
    std::size_t entry = 0;                          // context whose stored entry serves it
    std::weak_ptr<const EntryHeader> entry_header;  // of that entry then: tells whether it was written anew since
    std::size_t reserved_blocks = 0;
    std::shared_ptr<std::size_t> shown_bytes = {};  // of its answer so far
    bool held_up = false;                           // by a step of profiling: once is the most
    bool waited_beside_profiling = false;           // for bytes, during the last such step
    bool noted = false;  // its first token is out, what it computed was offered to the policy
  };
  std::size_t batch_limit() const;
  /// Requests a second at which they arrive now; 0 while the warm-up, which keeps no time, asks one after the other.
  double arrival_rate() const { return warming_up_ ? 0 : settings_.requests_per_second; }
  void end_warmup();
  bool next_request_is_due() const;
  bool admit();  // begins the next request if it is due and there is room for it
  void end_of_sequence();
  Arrived next_arrived() const;
  int longest_answer(const CatalogueQuestion& question) const;
  bool has_room(std::size_t blocks) const;
  void begin_request(Arrived arrived, std::size_t blocks);
  void refuse_request(const Arrived& arrived, std::size_t prompt_tokens);
  void note_served(Running& request);
  void finish_request(std::size_t place);
  void look_again(Running& request);
  void learn_from(const Running& request);
  void cancel_requests();
  void cancel_request(std::size_t place);
  Running take_out(std::size_t place);
  void repin(std::size_t entry);

  // engine_batch.cpp
  void serve_step();
  void decode_step();
  void compute_step();
  bool anybody(RequestTask::Need need) const;
  void give_way(std::size_t place, const Status& status);
  bool free_blocks();
  void requeue(std::size_t place);

  // engine_meeting.cpp
  void choose_way(CacheHit& hit, std::size_t context);
  void learn_kept_map(const Running& request);

  // engine_prefetch.cpp
  void prefetch_next();
  void drop_prefetch();

  // engine_place.cpp
  void tell_policy(const PolicyEvent& event);
  bool nobody_waits() const;
  bool may_place() const;
  void place(double seconds);
  void take_failed_writes();
  void take_settings(const SessionSettings& settings);

  // engine_freeze.cpp
  Status freeze_costs();
  void forget_originals();
  bool settle_step();
  void publish_taken(const std::string& reason);
  void publish_costs();

  // engine_popularity.cpp
  Status load_frequencies();
  Status save_frequencies();

  // engine_shared.cpp
  void attend_shared_tiers();
  void publish_counted(std::size_t tier);
  /// Nothing where the processor computes.
  std::optional<ModelDeviceGauges> device_gauges() const;

  // engine_profile.cpp
  bool profile_complete(std::size_t context) const;
  std::optional<std::size_t> next_unprofiled(bool original_needed) const;
  Status begin_profile(std::size_t context, bool after_drift);
  Status profile(double seconds);
  Status profile_step();
  Status read_original_step();
  Status begin_answers(KvCache cache, Observation observed);
  Status take_curve();
  bool may_profile() const;  // no request is held up by it more than once
  void end_profile();
  Status give_up_profile(std::size_t context, Error error);
  void pool_qualities();
  void use_profile(std::size_t context);  // from cells_ to the snapshot, candidates only
  ProfilePlan profile_plan() const;

  // engine_drift.cpp
  void watch_drift(const Running& request);
  std::optional<std::size_t> next_drifted() const;
  void assume_loss(std::size_t context, double kept_share);
  void drop_assumptions();
  void restore_first_curves();
  bool may_reprofile() const;
  void leave_out_long_steps(const Observation& observed, ProfilePlan& plan) const;
  void keep_curves_left_out(std::size_t context);

  Engine& engine_;
  const Clock& clock_;
  ServingClock serving_clock_{clock_};
  JournalSink journal_;
  EventBus events_;
  SessionSettings settings_;

  std::unique_ptr<ModelRuntime> runtime_;
  std::unique_ptr<Catalogue> catalogue_;
  OpenedTiers opened_;
  std::unique_ptr<StoreManager> store_;
  // Parts, in the order of their making; there once load() has opened the tiers.
  std::optional<EngineServices> services_;
  std::unique_ptr<CostModel> costs_;
  std::unique_ptr<AnswerQuality> quality_;
  std::unique_ptr<ContextInspector> inspector_;
  std::shared_ptr<const Policy> policy_;
  std::deque<PlacementAction> pending_;
  int failed_commits_ = 0;

  // the run
  std::string run_id_;
  std::vector<WorkloadRequest> sequence_;
  std::size_t next_in_sequence_ = 0, warmup_in_sequence_ = 0;
  bool warming_up_ = false;
  std::uint64_t round_ = 0;  // how often an endless sequence began anew
  std::uint64_t served_ = 0;
  std::uint64_t request_counter_ = 0;
  std::int64_t run_start_ns_ = 0;
  bool one_step_ = false;
  bool settings_wait_ = false;         // for the requests under way to end: none begins
  std::vector<Running> running_;       // oldest first
  std::deque<Arrived> requeued_;       // begun, and to begin again: before the rest of the sequence
  bool hold_until_one_ends_ = false;   // one had to make room: none begins before another one has ended
  bool one_ended_ = false;             // since placement had its turn
  std::size_t longest_tokens_ = 0;     // of all contexts
  std::int64_t waiting_since_ns_ = 0;  // without a rate: when the next request could have begun
  struct Batch {
    BatchDecodeTask task;
    std::vector<std::uint64_t> members;  // request ids
  };
  std::optional<Batch> batch_;
  events::EngineCounted counted_;

  struct Prefetch {
    std::size_t in_sequence = 0;  // of the request it is for
    CacheHit hit;
    std::unique_ptr<LoadTask> load;
    std::int64_t start_ns = 0;
  };
  std::optional<Prefetch> prefetch_;
  std::size_t prefetch_looked_at_ = SIZE_MAX;  // place in the sequence that was looked at last

  std::vector<bool> reachable_;                     // by tier, as last seen; the archive last
  std::vector<TierStatistics> counted_before_;      // by tier, when the run began
  std::optional<ModelDeviceGauges> device_before_;  // likewise

  std::map<int, UnreadTier> unread_tiers_;  // by tier

  QualityMeter meter_;
  std::optional<events::CostsFitted> published_costs_;  // as events told them last

  // quality curves
  ProfileScope scope_;
  std::map<std::size_t, std::vector<ProfileCell>> cells_;
  QualityPool pool_;  // of all cells
  struct ActiveProfile {
    std::size_t context = 0;
    bool after_drift = false;
    std::int64_t start_ns = 0;
    KvCache cache;                           // the original, as it comes in
    std::unique_ptr<PrefillTask> prefill;    // computes it,
    std::unique_ptr<LoadTask> load;          // or reads it from the archive
    std::unique_ptr<ProfileTask> task = {};  // once it is there
  };
  std::unique_ptr<ActiveProfile> profile_;
  std::string under_way_;  // what progress was last reported for and has not ended
  bool profile_everything_ = false;
  std::set<std::size_t> unprofilable_;  // contexts whose profiling failed: not tried again until asked for
  bool curves_complete_ = false;        // nothing is left to profile, as far as is known
  bool profile_lacks_room_ = false;     // until a request has ended
  std::int64_t profile_step_began_ns_ = 0, profile_step_ended_ns_ = 0;  // the last one, serving_clock_
  DriftWatch drift_;
  std::map<std::size_t, std::vector<ProfileCell>> first_cells_;  // of contexts that were profiled anew, from before
  std::int64_t snapshot_published_ns_ = 0;
  bool snapshot_changed_ = false;
};

}  // namespace kvantage
