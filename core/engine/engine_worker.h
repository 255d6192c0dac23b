// What lives on the engine's thread. One class, its work in ten files by subject: engine_load.cpp (model, contexts,
// tiers, profiles), engine_timing.cpp (costs of prefill and of each tier), engine_loop.cpp (commands and order of work),
// engine_serve.cpp (requests), engine_prefetch.cpp (the next one's cache), engine_measure.cpp (their quality), engine_place.cpp (policy, placement actions, settings), engine_freeze.cpp (runs that
// decide alike),
// engine_shared.cpp (tiers that others use too, and that may not answer; what tiers count) and engine_profile.cpp (quality curves).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/engine/catalogue.h"
#include "core/engine/engine.h"
#include "core/engine/event_bus.h"
#include "core/engine/fits.h"
#include "core/engine/journal_sink.h"
#include "core/engine/profiler.h"
#include "core/engine/request_task.h"
#include "core/engine/store_manager.h"

namespace kvantage {

class Engine::Worker {
 public:
  explicit Worker(Engine& engine);
  void run();

 private:
  // engine_load.cpp
  Status load();
  Status load_profiles();
  Status load_references();
  Status save_references();
  void progress(const std::string& what, std::uint64_t done, std::uint64_t total);

  // engine_timing.cpp
  std::size_t longest_context() const;
  Status time_model_and_tiers();
  Status time_codecs();
  Status time_tier(std::size_t tier);
  /// Lets the faults of a tier's setting strike, from their seed on; with `strike` false none does.
  void inject_faults(std::size_t tier, bool strike = true);
  void inject_all_faults(bool strike = true);
  Expected<SerializedEntry> timing_entry(std::size_t length) const;
  Status time_loads(StorageTier& storage, const SerializedEntry& entry, TierFit& fit);

  // engine_loop.cpp
  void handle_commands();
  bool work_once();  // false: nothing to do now
  double seconds_until_next_arrival() const;
  void begin_run();
  void finish_run(const std::string& outcome);
  void set_state(RunState state);
  void publish_snapshot();
  bool interrupted() const { return engine_.interrupt_.load(std::memory_order_relaxed); }

  // engine_serve.cpp
  bool next_request_is_due() const;
  void begin_request();
  void finish_request();
  void cancel_request();

  // engine_prefetch.cpp
  void prefetch_next();
  void drop_prefetch();

  // engine_measure.cpp
  void measure(RequestTask& task);
  Status measure_answer(RequestTask& task);
  Status find_reference(std::size_t context, std::size_t question);
  Expected<std::optional<double>> chance_of(const QualityMetric& metric, std::size_t context, std::size_t question);
  Expected<LogitFigures> read_over(const KvCache& cache, std::size_t context, std::size_t question);
  std::vector<std::string> other_answers(std::size_t context, std::size_t question, bool references_first) const;

  // engine_place.cpp
  void tell_policy(const PolicyEvent& event);
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

  // engine_profile.cpp
  bool profile_complete(std::size_t context) const;
  std::optional<std::size_t> next_unprofiled(bool original_needed) const;
  Status begin_profile(std::size_t context);
  Status profile(double seconds);
  void end_profile();
  Status give_up_profile(std::size_t context, Error error);
  void use_profile(std::size_t context);  // from cells_ to the snapshot, candidates only
  ProfileChance profile_chance(std::size_t context);
  Status compute_original(std::size_t context);
  ProfilePlan profile_plan() const;

  Engine& engine_;
  const SystemClock& clock_;
  JournalSink journal_;
  EventBus events_;
  SessionSettings settings_;

  std::unique_ptr<ModelRuntime> runtime_;
  std::unique_ptr<Catalogue> catalogue_;
  OpenedTiers opened_;
  std::unique_ptr<StoreManager> store_;
  std::shared_ptr<const Policy> policy_;
  std::deque<PlacementAction> pending_;
  int failed_commits_ = 0;

  // the run
  std::string run_id_;
  std::vector<WorkloadRequest> sequence_;
  std::size_t next_in_sequence_ = 0;
  std::uint64_t round_ = 0;  // how often an endless sequence began anew
  std::uint64_t served_ = 0;
  std::uint64_t request_counter_ = 0;
  std::int64_t run_start_ns_ = 0;
  bool one_step_ = false;
  std::unique_ptr<RequestTask> request_;
  std::size_t request_context_ = 0, request_question_ = 0;
  std::size_t request_entry_ = 0;  // context whose stored entry serves the request

  struct Prefetch {
    std::size_t in_sequence = 0;  // of the request it is for
    CacheHit hit;
    std::unique_ptr<LoadTask> load;
    std::int64_t start_ns = 0;
  };
  std::optional<Prefetch> prefetch_;
  std::size_t prefetch_looked_at_ = SIZE_MAX;  // place in the sequence that was looked at last

  std::vector<bool> reachable_;  // by tier, as last seen; the archive last
  std::vector<TierStatistics> counted_before_;  // by tier, when the run began

  // live fits
  std::deque<double> question_kept_, question_seconds_, prefill_tokens_, prefill_seconds_;

  // quality
  QualityMeter meter_;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, double> chances_;  // by metric, context, question
  std::map<std::size_t, ProfileChance> measured_chances_;  // of metrics of predictions, by context
  std::optional<events::CostsFitted> published_costs_;  // as events told them last
  bool costs_frozen_ = false;
  bool measuring_failed_ = false;                          // said once

  // quality curves
  ProfileScope scope_;
  std::map<std::size_t, std::vector<ProfileCell>> cells_;
  struct ActiveProfile {
    std::size_t context = 0;
    KvCache cache;
    Observation observed;
    std::unique_ptr<ProfileTask> task;
    std::int64_t start_ns = 0;
  };
  std::unique_ptr<ActiveProfile> profile_;
  std::string under_way_;  // what progress was last reported for and has not ended
  bool profile_everything_ = false;
  std::set<std::size_t> unprofilable_;  // contexts whose profiling failed: not tried again until asked for
  std::int64_t snapshot_published_ns_ = 0;
  bool snapshot_changed_ = false;
};

}  // namespace kvantage
