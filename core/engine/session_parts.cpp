#include "core/engine/session_parts.h"

#include <utility>

#include "core/engine/settings_check.h"

namespace kvantage::inline engine {
namespace {

class PartsOfOutcomes final : public OutcomeParts {
 public:
  explicit PartsOfOutcomes(SessionParts& all) : all_(all) {}
  void poll_tiers(const std::vector<TierConfig>& tiers) override { all_.tiers.poll(tiers); }
  void learn_costs(const RequestTask& task, const Configuration& served_from) override {
    all_.costs.learn(task, served_from);
  }
  void learn_hit(RequestTask& task, std::size_t entry, const Configuration& served_from) override {
    all_.planner.learn(task, entry, served_from);
  }
  void publish_costs() override { all_.recorder.publish_costs(); }
  const Policy& policy() const override { return all_.placement.policy(); }
  void dispatch_event(const PolicyEvent& event) override { all_.placement.dispatch_event(event); }
  void measure_quality(RequestTask& task, std::size_t context, std::size_t question) override {
    all_.quality.measure(task, context, question);
  }
  bool note_answer(const CacheUse& use, const AnswerScores& scores, std::size_t context, std::size_t question,
                   std::size_t entry) override {
    return all_.drift.note_answer(use, scores, context, question, entry);
  }
  void count_first_token() override { all_.recorder.on_first_token(); }
  void count_serving(double seconds) override { all_.recorder.counters().note_serving(seconds); }
  void count_decoding(const EvictionWork& answer) override { all_.recorder.counters().note_decoding(answer); }
  void recheck_curves() override { all_.profiler.recheck_curves(); }
  bool free_memory_of_profile() override { return all_.profiler.free_memory(); }
  bool free_memory_of_inspection() override {
    const bool inspected = all_.inspector.free_memory(), asked = all_.asker.free_memory();
    return inspected || asked;
  }
  void retry_profile() override { all_.profiler.retry(); }
  void retry_inspection() override {
    all_.inspector.retry();
    all_.asker.retry();
  }

 private:
  SessionParts& all_;
};

class PartsOfARun final : public RunParts {
 public:
  explicit PartsOfARun(SessionParts& all) : all_(all) {}
  void inject_all_faults(const std::vector<TierConfig>& tiers, bool enabled) override {
    all_.tiers.inject_all_faults(tiers, enabled);
  }
  void begin_requests(bool cold) override { all_.requests.begin_run(cold); }
  void begin_arrivals(std::uint64_t request_limit, double requests_per_second) override {
    all_.arrivals.begin(request_limit, requests_per_second);
  }
  void start_arrival_clock() override { all_.arrivals.start_clock(); }
  std::size_t warmup_requests() const override { return all_.arrivals.warmup_requests(); }
  void open_record(const std::string& id, Json facts) override { all_.recorder.open(id, std::move(facts)); }
  void begin_record() override { all_.recorder.begin(); }
  void finish_record(const std::string& outcome) override { all_.recorder.finish(outcome); }
  Status save_calibration(const std::string& id, const std::vector<double>& seconds) override {
    return all_.recorder.save_calibration(id, seconds);
  }
  void reset_counters() override { all_.recorder.counters().reset(); }
  void forget_actions() override { all_.placement.forget_actions(); }
  void dispatch_event(const PolicyEvent& event) override { all_.placement.dispatch_event(event); }
  void take_failed_writes() override { all_.placement.take_failed_writes(); }
  void forget_popularity() override { all_.popularity.forget(); }
  Status save_popularity() override { return all_.popularity.save(); }
  void drop_drift_assumptions() override { all_.drift.drop_assumptions(); }
  void forget_answers() override { all_.drift.forget_answers(); }
  void restore_first_curves() override { all_.profiler.restore_first_curves(); }
  void recheck_curves() override { all_.profiler.recheck_curves(); }
  Status time_model() override { return all_.costs.time_model(); }
  Status save_references(const ProfileScope& scope) override { return all_.quality.save(scope); }

 private:
  SessionParts& all_;
};

class PartsOfSettings final : public SettingsParts {
 public:
  explicit PartsOfSettings(SessionParts& all) : all_(all) {}
  Status time_tier(std::size_t tier, const TierConfig& setting) override { return all_.costs.time_tier(tier, setting); }
  Status time_codecs(const std::vector<std::string>& methods) override { return all_.costs.time_codecs(methods); }
  void inject_faults(std::size_t tier, const TierConfig& setting, bool enabled) override {
    all_.tiers.inject_faults(tier, setting, enabled);
  }
  Status use_policy(const std::string& name) override { return all_.placement.use_policy(name); }
  void dispatch_event(const PolicyEvent& event) override { all_.placement.dispatch_event(event); }
  void change_rate(double requests_per_second) override { all_.arrivals.change_rate(requests_per_second); }
  void use_metric(const std::string& name) override { all_.quality.use_metric(name); }
  Status load_references(const ProfileScope& scope) override { return all_.quality.load(scope); }
  void forget_answers() override { all_.drift.forget_answers(); }
  void forget_curves() override { all_.curves.forget(); }
  Status load_curves(const ProfileScope& scope, ProfileStore* store, const ShippedProfiles& shipped) override {
    return all_.curves.load(scope, store, shipped);
  }
  void use_all_curves() override { all_.curves.use_all(); }
  void use_scope(const ProfileScope& scope) override { all_.profiler.use_scope(scope); }
  void recheck_curves() override { all_.profiler.recheck_curves(); }
  void retry_failed_profiles() override { all_.profiler.retry_failed(); }
  void publish_snapshot(const std::string& reason) override { all_.recorder.publish_snapshot(reason); }
  void publish_costs() override { all_.recorder.publish_costs(); }
  void hand_on(const SessionSettings& settings) override { all_.use(settings); }

 private:
  SessionParts& all_;
};

class PlannedHits final : public HitChoice {
 public:
  explicit PlannedHits(HitPlanner& planner) : planner_(planner) {}
  void choose(CacheHit& hit, std::size_t context) override { planner_.choose(hit, context); }

 private:
  HitPlanner& planner_;
};

}  // namespace

SessionParts::SessionParts(const EngineServices& services, const PartsSetup& setup, TierMonitor::Inject inject)
    : of_outcomes_(std::make_unique<PartsOfOutcomes>(*this)),
      of_a_run_(std::make_unique<PartsOfARun>(*this)),
      of_settings_(std::make_unique<PartsOfSettings>(*this)),
      choice_(std::make_unique<PlannedHits>(planner)),
      recorder(services, setup.journal, setup.runs),
      costs(services),
      planner(services, costs, setup.config.frozen),
      tiers(services, costs, recorder, std::move(inject)),
      arrivals(setup.config.workload, services.catalog, setup.serving_clock,
               {.seed = setup.config.seed, .warmup = setup.config.warmup, .endless = setup.config.endless}),
      placement(
          services, recorder.counters(), [this] { return !requests.any() && arrivals.rate() <= 0; },
          setup.config.frozen),
      quality(services, setup.serving_clock, setup.meter, setup.profiles, setup.config.max_answer_tokens),
      curves(services, quality),
      racing(services, setup.config.frozen ? nullptr : setup.config.executor),
      drift(services, curves, recorder.counters(), setup.config.frozen),
      inspector(services, setup.serving_clock, setup.viewers.keep_maps, setup.config.max_answer_tokens),
      asker(services, setup.serving_clock, setup.viewers.asks, setup.config.max_answer_tokens),
      outcomes(services, *of_outcomes_, setup.spans, setup.settings.tiers),
      requests(services, setup.serving_clock, arrivals, *choice_, outcomes, recorder.counters(),
               {.max_answer_tokens = setup.config.max_answer_tokens, .frozen = setup.config.frozen}),
      profiler(services, setup.serving_clock, {curves, drift, quality, setup.meter, &racing},
               requests.beside_profiling(), {recorder, recorder.counters()}, setup.progress,
               {.store = setup.profiles, .max_answer_tokens = setup.config.max_answer_tokens}),
      popularity(services, setup.profiles, setup.config.workload.digest()) {
  curves.use_pooled(racing);
  use(setup.settings);
  arrivals.change_rate(setup.settings.requests_per_second);
}

void SessionParts::use(const SessionSettings& settings) {
  requests.use({.policy = settings.policy,
                .max_batch = settings.max_batch,
                .prefill_batch_tokens = settings.prefill_batch_tokens,
                .attend_quantized = settings.attend_quantized,
                .decode_eviction = settings.decode_eviction,
                .decode_options = settings.decode_options,
                .decode_offload = settings.decode_offload,
                .speculation = settings.speculation,
                .methods = settings.methods});
  planner.use(settings.compute_or_load, stored_methods(settings));
  drift.use_rule({.reprofile = settings.reprofile,
                  .when = settings.reprofile_when,
                  .assume_loss = settings.assume_loss,
                  .share = settings.reprofile_share,
                  .quality_metric = settings.quality_metric});
  curves.use_candidates({settings.methods, settings.removed_fractions, settings.decode_options});
  if (racing.use(settings.profile_grid == ProfileGridKind::racing, curves.candidates(), settings.good_enough))
    curves.pool();
}

}  // namespace kvantage::inline engine
