#include "core/engine/engine_loop.h"

#include <algorithm>

#include "core/cost/frozen_costs.h"
#include "core/model/bert_encoder.h"
#include "core/model/compute_cores.h"

namespace kvantage {
namespace {

constexpr double placement_slice_seconds = 0.05;  // most work between two requests
constexpr double profile_slice_seconds = 0.1;
constexpr double without_limit = 1e18;
constexpr std::int64_t snapshot_interval_ns = 20'000'000;  // at most, while there is work
constexpr double shortest_pause_seconds = 0.0005, longest_pause_seconds = 0.05;

std::vector<EventSink*> sinks_of(const EngineSurroundings& around, JournalSink& journal) {
  std::vector<EventSink*> sinks{&around.display, &journal};
  sinks.insert(sinks.end(), around.sinks.begin(), around.sinks.end());
  return sinks;
}

Expected<std::unique_ptr<Embedder>> load_embedder() {
  KV_ASSIGN(auto encoder, BertEncoder::load(embedding_model_directory()));
  return std::unique_ptr<Embedder>(std::move(encoder));
}

}  // namespace

EngineLoop::EngineLoop(const EngineSurroundings& around)
    : around_(around),
      serving_clock_(around.clock),
      journal_(around.runs),
      events_(around.clock, sinks_of(around, journal_)),
      progress_(events_),
      settings_(around.config.settings),
      meter_(load_embedder) {}

void EngineLoop::run() {
  if (const Status loaded = load(); !loaded) {
    const bool closing = loaded.error().code == ErrorCode::cancelled;
    if (!closing) events_.publish(events::Message{"error", loaded.error().message});
    around_.board.set_failure(loaded.error());
    set_state(closing ? RunState::closed : RunState::failed);
    return;
  }
  set_state(RunState::ready);
  for (;;) {
    handle_commands();
    if (in_state(RunState::closed)) return;
    const bool served = work_once();
    const bool worked = parts_->inspector.step(parts_->requests.requests_now()) || served;
    const std::int64_t since_published = around_.clock.monotonic_ns() - snapshot_published_ns_;
    if (catalogue_->changed() && (!worked || since_published > snapshot_interval_ns)) publish_snapshot();
    if (worked) continue;
    around_.board.wait_for_command(
        std::clamp(seconds_until_next_arrival(), shortest_pause_seconds, longest_pause_seconds));
  }
}

Status EngineLoop::load() {
  const EngineConfig& config = around_.config;
  const auto interrupted = [this] { return around_.board.interrupted(); };
  constexpr std::uint64_t stages = 5;
  use_compute_cores(choose_compute_cores(allowed_cores(), config.threads, config.leave_core));
  progress_.report("Loading the model", 0, stages);
  KV_ASSIGN(runtime_, ModelRuntime::load(config.model, config.runtime));
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
  progress_.report("Reading the contexts", 1, stages);
  KV_ASSIGN(catalogue_, Catalogue::build(config.workload, *runtime_));
  progress_.report("Opening the tiers", 2, stages);
  KV_TRY(open_store());
  const EngineServices services{.runtime = *runtime_,
                                .catalogue = *catalogue_,
                                .store = *store_,
                                .lender = *opened_.lender,
                                .events = events_,
                                .clock = around_.clock,
                                .interrupted = interrupted};
  const PartsSetup setup{.config = config,
                         .serving_clock = serving_clock_,
                         .meter = meter_,
                         .progress = progress_,
                         .journal = journal_,
                         .inspections = around_.inspections,
                         .spans = around_.spans,
                         .profiles = around_.profiles,
                         .runs = around_.runs,
                         .settings = settings_};
  parts_ = std::make_unique<SessionParts>(services, setup, opened_.inject);
  KV_TRY(parts_->placement.use_policy(settings_.policy));
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
  progress_.report("Timing the model and the tiers", 3, stages);
  KV_TRY(parts_->costs.time_all(settings_));
  if (config.frozen)
    KV_TRY(freeze_costs(services, parts_->costs, settings_, config.workload.digest(), around_.profiles,
                        config.frozen_costs));
  progress_.report("Reading the quality profiles", 4, stages);
  KV_TRY(load_profiles());
  KV_TRY(parts_->popularity.load());
  show_info();
  parts_->tiers.inject_all_faults(settings_.tiers);
  progress_.report("Ready", stages, stages);
  publish_snapshot();
  return {};
}

Status EngineLoop::open_store() {
  const auto interrupted = [this] { return around_.board.interrupted(); };
  for (const std::string& line : resolve_budgets(settings_.tiers, catalogue_->full_bytes()))
    events_.publish(events::Message{"info", line});
  around_.board.set_full_bytes(catalogue_->full_bytes());
  KV_ASSIGN(opened_, around_.config.open_tiers(runtime_->digest(), settings_, interrupted));
  Snapshot& snapshot = catalogue_->snapshot();
  snapshot.alpha = settings_.alpha;
  for (std::size_t t = 0; t < opened_.tiers.size(); ++t) {
    opened_.tiers[t]->set_capacity(settings_.tiers[t].budget.capacity_bytes());
    snapshot.tiers.push_back({.name = settings_.tiers[t].name,
                              .budget_bytes = settings_.tiers[t].budget.bytes(),
                              .model = {},
                              .shaped = opened_.tiers[t]->describe().shaped});
  }
  store_ = std::make_unique<CacheStore>(*runtime_, *catalogue_, *opened_.lender, events_, around_.clock,
                                        std::move(opened_.tiers), std::move(opened_.archive));
  store_->set_stop(interrupted);
  store_->recover();
  return {};
}

void EngineLoop::show_info() {
  const ModelConfig& model = runtime_->model->config();
  const Workload& workload = around_.config.workload;
  around_.board.set_info({.model_name = runtime_->name,
                          .workload_name = workload.name,
                          .run_id = {},
                          .layers = model.layers,
                          .kv_heads = model.kv_heads,
                          .head_dim = model.head_dim,
                          .parameters = model.parameters(),
                          .device = runtime_->model->path_description(),
                          .contexts = catalogue_->size(),
                          .questions = workload.questions.size()});
}

Status EngineLoop::load_profiles() {
  const EngineConfig& config = around_.config;
  scope_ = {.model = runtime_->answering_digest(config.max_answer_tokens),
            .workload = config.workload.digest(),
            .quality_metric = settings_.quality_metric};
  parts_->profiler.use_scope(scope_);  // whatever comes of the rest, no curve of another metric is gone on with
  if (const QualityMetric* metric = find_quality_metric(settings_.quality_metric)) {
    // Vectors of different embedders do not compare.
    KV_ASSIGN(const auto embedder, meter_.digest(*metric));
    if (embedder != Digest128{})
      scope_.model =
          DigestBuilder().add(scope_.model.high).add(scope_.model.low).add(embedder.high).add(embedder.low).finish();
  }
  parts_->quality.use_metric(settings_.quality_metric);
  parts_->profiler.use_scope(scope_);
  parts_->curves.forget();
  parts_->drift.forget_answers();
  around_.board.set_scope(scope_);
  if (around_.profiles != nullptr) KV_TRY(parts_->quality.load(scope_));
  return parts_->curves.load(scope_, around_.profiles, {config.shipped_profiles, config.import_profile});
}

void EngineLoop::set_state(RunState state) {
  // Whoever waits for the state reads the snapshot next, so it must be up to date.
  if (catalogue_ != nullptr && catalogue_->changed()) publish_snapshot();
  around_.board.set_state(state);
}

void EngineLoop::publish_snapshot() {
  Snapshot& live = catalogue_->snapshot();
  ++live.version;
  auto reports = std::make_shared<std::vector<TierReport>>();
  for (std::size_t t = 0; store_ != nullptr && t < store_->tiers().count(); ++t)
    reports->push_back(store_->tiers().report(t));
  around_.board.show({.snapshot = std::make_shared<const Snapshot>(live),
                      .tier_reports = std::move(reports),
                      .model_device = runtime_->device_gauges()});
  catalogue_->mark_published();
  snapshot_published_ns_ = around_.clock.monotonic_ns();
}

void EngineLoop::handle_commands() {
  const SessionBoard::Taken taken = around_.board.take(parts_->requests.any());
  const SessionBoard::Commands& commands = taken.commands;
  settings_wait_ = taken.settings_wait;
  if (commands.close || commands.stop) return end_work(commands.close);
  if (commands.settings) {
    parts_->requests.drop_prefetch();
    take_settings(taken.settings);
  }
  if (commands.profile) {
    parts_->profiler.profile_everything();
    set_state(RunState::running);
  }
  if (commands.start || commands.step) {
    one_step_ = commands.step;
    if (!parts_->recorder.in_run()) begin_run();
    set_state(RunState::running);
  } else if (commands.pause && taken.state == RunState::running) {
    set_state(RunState::paused);
  }
  around_.board.wake();  // wait_while_busy() watches commands, too
}

void EngineLoop::end_work(bool close) {
  parts_->requests.cancel_all();
  parts_->requests.drop_prefetch();
  parts_->profiler.stop();
  if (parts_->recorder.in_run()) finish_run(close ? "closed" : "stopped");
  if (close) store_->finish_writes();
  set_state(close ? RunState::closed : RunState::ready);
}

void EngineLoop::begin_run() {
  const EngineConfig& config = around_.config;
  SessionParts& parts = *parts_;
  const std::string id = new_run_id(around_.clock.utc_ns());
  // Each run draws its faults from the seed on, and none while its tiers are emptied.
  parts.tiers.inject_all_faults(settings_.tiers, false);
  forget_runs_before();
  parts.requests.begin_run(config.cold_start);
  parts.arrivals.begin(settings_.request_limit, settings_.requests_per_second);
  parts.tiers.inject_all_faults(settings_.tiers);
  parts.arrivals.start_clock();
  parts.recorder.open(id, run_facts(id));
  around_.board.set_run_id(id);  // whoever sees it finds the run in the store
  parts.recorder.begin();
  parts.placement.tell({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
}

void EngineLoop::forget_runs_before() {
  const EngineConfig& config = around_.config;
  SessionParts& parts = *parts_;
  if (config.cold_start) {
    parts.placement.forget_actions();
    store_->clear();
    parts.popularity.forget();
    catalogue_->policy_state().memory = nullptr;  // of stores that are empty now
  }
  around_.spans.clear();  // request ids start over
  parts.drift.drop_assumptions();
  if (config.cold_start) parts.profiler.restore_first_curves();
  parts.drift.forget_answers();
  parts.recorder.counters().reset();
  parts.profiler.look_again();
  // How much of the archive there is from runs before decides what can be placed at once: a frozen run goes without.
  if (config.frozen && config.cold_start)
    for (std::size_t c = 0; c < catalogue_->size(); ++c) catalogue_->state(c).archived = false;
}

Json EngineLoop::run_facts(const std::string& id) const {
  const EngineConfig& config = around_.config;
  Json facts{{"settings", to_json(settings_)},
             {"warmup", parts_->arrivals.warmup_requests()},
             {"cold_start", config.cold_start},
             {"device", runtime_->model->path_description()},
             {"prefill_chunk_tokens", runtime_->chunk_tokens()},
             {"kv_bytes_per_token", runtime_->model->kv_shape().bytes_per_token()}};
  if (config.endless) facts["endless"] = true;
  if (config.frozen) facts["frozen"] = true;
  facts.update(config.run_facts);
  Json& environment = facts["environment"];
  environment["model"] = runtime_->name;
  environment["model_digest"] = runtime_->digest().hex();
  environment["workload"] = config.workload.name;
  environment["workload_digest"] = config.workload.digest().hex();
  environment["threads"] = compute_threads();
  environment["seed"] = config.seed;
  environment["run_id"] = id;
  return facts;
}

void EngineLoop::finish_run(const std::string& outcome) {
  store_->finish_writes(outcome != "finished");
  parts_->placement.take_failed_writes();
  if (const Status saved = parts_->quality.save(scope_); !saved)
    events_.publish(events::Message{"warning", "reference answers are not kept: " + saved.error().message});
  if (const Status saved = parts_->popularity.save(); !saved)
    events_.publish(
        events::Message{"warning", "how often contexts were asked for is not kept: " + saved.error().message});
  parts_->recorder.finish(outcome);
  publish_snapshot();
}

void EngineLoop::take_tiers(const SessionSettings& old) {
  Snapshot& snapshot = catalogue_->snapshot();
  for (std::size_t t = 0; t < store_->tiers().count(); ++t) {
    const TierConfig& now = settings_.tiers[t];
    snapshot.tiers[t].budget_bytes = now.budget.bytes();
    store_->tiers()[t].set_capacity(now.budget.capacity_bytes());
    const bool reshaped = now.throttle != old.tiers[t].throttle;
    if (now.faults != old.tiers[t].faults) parts_->tiers.inject_faults(t, now);
    if (!reshaped || !opened_.reshape) continue;
    parts_->tiers.inject_faults(t, now, false);  // what is timed is the tier, not its faults
    Status status = opened_.reshape(t, now);
    if (status && catalogue_->size() > 0) status = parts_->costs.time_tier(t, now);
    parts_->tiers.inject_faults(t, now);
    if (!status) events_.publish(events::Message{"error", "tier '" + now.name + "': " + status.error().message});
  }
}

void EngineLoop::take_settings(const SessionSettings& settings) {
  const Json before = to_json(settings_), after = to_json(settings);
  for (const auto& [name, value] : after.items())
    if (!before.contains(name) || before[name] != value)
      events_.publish(events::SettingChanged{name, before.contains(name) ? before[name] : Json(), value});
  const SessionSettings old = std::exchange(settings_, settings);
  catalogue_->snapshot().alpha = settings_.alpha;
  take_tiers(old);
  parts_->profiler.look_again();
  if (settings_.policy != old.policy)
    if (const Status used = parts_->placement.use_policy(settings_.policy); !used) {
      events_.publish(events::Message{"error", used.error().message});
      settings_.policy = old.policy;
    }
  parts_->use(settings_);
  const bool candidates_changed =
      settings_.methods != old.methods || settings_.removed_fractions != old.removed_fractions;
  const bool metric_changed = settings_.quality_metric != old.quality_metric;
  if (metric_changed) {
    if (const Status loaded = load_profiles(); !loaded)
      events_.publish(events::Message{"error", "quality curves: " + loaded.error().message});
  } else if (candidates_changed) {
    parts_->profiler.retry_failed();
    parts_->curves.use_all();
  }
  if (settings_.requests_per_second != old.requests_per_second)
    parts_->arrivals.change_rate(settings_.requests_per_second);
  if (candidates_changed || metric_changed) parts_->recorder.publish_snapshot("settings");
  parts_->recorder.publish_costs();
  parts_->placement.tell({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
  for (std::size_t t = 0; t < store_->tiers().count(); ++t) store_->publish_occupancy(static_cast<int>(t));
  publish_snapshot();
}

// Requests come first. Where there is a free place beside those under way, what is left to do takes its turn a step at
// a time; with none under way it has a while between two requests, or until the next one arrives. One placement has its
// turn whenever a request has ended, even if others wait: a queue that never empties would else keep every cache from
// being made.
bool EngineLoop::work_once() {
  SessionParts& parts = *parts_;
  store_->poll();
  parts.placement.take_failed_writes();
  const bool running = in_state(RunState::running);
  if (parts.requests.any()) {
    serve();
    return true;
  }
  if (settle_step()) return true;
  if (parts.arrivals.warmup_was_asked() && !parts.placement.may_place()) {
    if (parts.recorder.in_run()) parts.recorder.publish_counted();
    parts.arrivals.end_warmup();
  }
  const bool at_a_rate = parts.arrivals.rate() > 0;
  if (parts.outcomes.take_placing_turn() && at_a_rate && parts.placement.may_place()) parts.placement.place(0);
  if (at_a_rate && admit()) return true;
  if (parts.placement.may_place()) {
    parts.placement.place(placement_slice_seconds);
    if (!running || at_a_rate) return true;
  }
  if (profile_wanted()) {
    profile_for(profile_slice_seconds);
    const bool in_run = parts.recorder.in_run();
    if (parts.profiler.finish_everything() && !in_run) set_state(RunState::ready);
    if (!running || !in_run || at_a_rate) return true;
  }
  return admit();
}

void EngineLoop::serve() {
  SessionParts& parts = *parts_;
  if (parts.outcomes.take_placing_turn() && parts.placement.may_place()) parts.placement.place(0);
  while (admit()) {
  }
  const bool profiles = parts.requests.awaits_bytes_alone() && parts.profiler.may_step() && profile_wanted();
  parts.requests.step(!profiles);
  if (parts.outcomes.take_ended() && std::exchange(one_step_, false)) set_state(RunState::paused);
  if (!parts.requests.any() || !parts.requests.has_free_place()) return;
  if (parts.arrivals.rate() > 0 && parts.requests.between_tokens() && parts.placement.may_place())
    parts.placement.place(0);
  if (parts.profiler.may_step() && profile_wanted()) profile_for(0);
}

bool EngineLoop::admit() {
  if (!in_state(RunState::running) || !parts_->recorder.in_run() || settings_wait_) return false;
  if (parts_->requests.admit(one_step_)) return true;
  const ArrivalQueue& arrivals = parts_->arrivals;
  if (parts_->requests.any() || arrivals.has_put_back() || !arrivals.exhausted()) return false;
  end_of_sequence();
  return true;
}

void EngineLoop::end_of_sequence() {
  if (parts_->arrivals.begin_anew(settings_.request_limit)) return;
  finish_run("finished");
  set_state(RunState::finished);
}

// Between two requests of a frozen run: true while there is something left to do first.
bool EngineLoop::settle_step() {
  if (!around_.config.frozen || !parts_->recorder.in_run() || !in_state(RunState::running)) return false;
  PlacementExecutor& placement = parts_->placement;
  if (placement.has_actions()) {
    placement.place(without_limit);
    return true;
  }
  if (!placement.policy().is_planner() || !parts_->profiler.settles()) return false;
  profile_for(without_limit);
  return true;
}

bool EngineLoop::profile_wanted() {
  return parts_->profiler.wanted(in_state(RunState::running) && parts_->placement.policy().is_planner());
}

void EngineLoop::profile_for(double seconds) {
  if (const auto changed = parts_->profiler.step(seconds, in_state(RunState::running)))
    parts_->placement.tell({.kind = PolicyEvent::Kind::profile_changed, .context = *changed});
}

double EngineLoop::seconds_until_next_arrival() const {
  if (!in_state(RunState::running) || !parts_->recorder.in_run() || parts_->arrivals.exhausted())
    return longest_pause_seconds;
  return parts_->arrivals.seconds_until_next();
}

}  // namespace kvantage
