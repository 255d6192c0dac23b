#include "core/engine/engine_loop.h"

#include <algorithm>

#include "core/cost/frozen_costs.h"
#include "core/engine/settings_check.h"
#include "core/model/bert_encoder.h"
#include "core/model/compute_cores.h"
#include "core/request/offloaded_decode_stage.h"

namespace kvantage::inline engine {
namespace {

constexpr double placement_slice_seconds = 0.05;  // maximum work between two requests
constexpr double profile_slice_seconds = 0.1;
constexpr double without_limit = 1e18;
constexpr std::int64_t snapshot_interval_ns = 20'000'000;  // minimum, while there is work
constexpr double shortest_pause_seconds = 0.0005, longest_pause_seconds = 0.05;
// Before idle time is left out: threads of tiers and of the model fall asleep as they would.
constexpr double rest_seconds = 0.005;

std::vector<EventSink*> sinks_of(const EngineSurroundings& around, JournalSink& journal) {
  std::vector<EventSink*> sinks{&journal};
  if (around.config.displayed) sinks.insert(sinks.begin(), &around.display);
  sinks.insert(sinks.end(), around.sinks.begin(), around.sinks.end());
  return sinks;
}

/// Of the files that a store left alone when it was opened, names the first one.
void warn_of_unreadable(EventBus& bus, std::string_view name, const StorageTier& tier) {
  const TierStatistics counts = tier.statistics();
  if (counts.unreadable.empty()) return;
  std::string text = "tier '" + std::string(name) + "': " + counts.unreadable;
  if (counts.unreadable_files > 1) text += " (and " + std::to_string(counts.unreadable_files - 1) + " more)";
  bus.publish(events::Message{"warning", std::move(text)});
}

Expected<std::unique_ptr<Embedder>> load_embedder() {
  KV_ASSIGN(auto encoder, BertEncoder::load(embedding_model_directory()));
  return std::unique_ptr<Embedder>(std::move(encoder));
}

}  // namespace

EngineLoop::EngineLoop(const EngineSurroundings& around)
    : around_(around),
      clock_(around.clock),
      serving_clock_(clock_),
      journal_(around.runs),
      events_(clock_, sinks_of(around, journal_)),
      progress_(events_),
      settings_(around.config.settings),
      meter_(load_embedder) {}

void EngineLoop::run() {
  if (const Status loaded = load_or_fail(); !loaded) {
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
    const bool inspected = parts_->inspector.step(parts_->requests.requests_now());
    const bool asked = parts_->asker.step(parts_->requests.requests_now());
    const bool worked = served || inspected || asked;
    const std::int64_t since_published = around_.clock.monotonic_ns() - snapshot_published_ns_;
    if (catalog_->changed() && (!worked || since_published > snapshot_interval_ns)) publish_snapshot();
    if (!worked) pass_idle_time();
  }
}

// The parts that load encode texts, and not all of them return errors.
Status EngineLoop::load_or_fail() {
  try {
    return load();
  } catch (const EncodingError& error) {
    return tl::unexpected(error.error());
  }
}

Status EngineLoop::load() {
  const EngineConfig& config = around_.config;
  const auto interrupted = [this] { return around_.board.interrupted(); };
  constexpr std::uint64_t stages = 5;
  const ComputeCores cores = choose_compute_cores(config.threads, config.leave_core);
  use_compute_cores(cores);
  progress_.report("Loading the model", 0, stages);
  KV_ASSIGN(runtime_, ModelRuntime::load(config.model, config.runtime));
  if (cores.nodes > 1) runtime_->pool->touch_with(touch_on_compute_threads);
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
  KV_TRY(check_split(settings_, split_refusal_of(*runtime_->model)));
  KV_TRY(check_layer_inputs(settings_, layer_inputs_refusal_of(*runtime_->model)));
  progress_.report("Reading the contexts", 1, stages);
  KV_ASSIGN(catalog_, Catalog::build(config.workload, *runtime_));
  progress_.report("Opening the tiers", 2, stages);
  KV_TRY(open_store());
  const EngineServices services{.runtime = *runtime_,
                                .catalog = *catalog_,
                                .store = *store_,
                                .lender = *opened_.lender,
                                .events = events_,
                                .clock = clock_,
                                .interrupted = interrupted};
  const PartsSetup setup{.config = config,
                         .serving_clock = serving_clock_,
                         .meter = meter_,
                         .progress = progress_,
                         .journal = journal_,
                         .viewers = around_.viewers,
                         .spans = around_.spans,
                         .profiles = around_.profiles,
                         .runs = around_.runs,
                         .settings = settings_};
  parts_ = std::make_unique<SessionParts>(services, setup, opened_.inject);
  run_lifecycle_.emplace(services, parts_->of_a_run(), around_.board, around_.spans,
                         RunLifecycle::Options{.seed = config.seed,
                                               .cold_start = config.cold_start,
                                               .time_each_run = config.run_timing.model_each_run,
                                               .frozen = config.frozen,
                                               .endless = config.endless,
                                               .leave_out_idle = config.leave_out_idle,
                                               .workload = config.workload.name,
                                               .workload_digest = config.workload.digest(),
                                               .facts = config.run_facts,
                                               .calibration = config.run_timing.calibration});
  settings_applier_.emplace(services, parts_->of_settings(), around_.board, meter_, settings_,
                            SettingsApplier::Profiles{.store = around_.profiles,
                                                      .shipped = config.shipped,
                                                      .model = runtime_->answering_digest(config.max_answer_tokens),
                                                      .workload = config.workload.digest()},
                            opened_.rethrottle);
  KV_TRY(parts_->placement.use_policy(settings_.policy));
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
  progress_.report("Reading the quality profiles", 3, stages);
  KV_TRY(settings_applier_->load_profiles());
  KV_TRY(parts_->popularity.load());
  publish_snapshot();  // curves need no costs, and timing takes the longest: viewers have them meanwhile
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
  progress_.report("Timing the model and the tiers", 4, stages);
  const CostScope cost_scope{settings_.tiers, stored_methods(settings_)};
  parts_->tiers.inject_timing_faults(settings_.tiers);
  KV_TRY(parts_->costs.time_all(cost_scope));
  KV_TRY(throttle_by_prefill());
  if (config.frozen)
    KV_TRY(freeze_costs(services, parts_->costs, cost_scope, config.workload.digest(), around_.profiles,
                        config.frozen_costs));
  parts_->planner.describe_serving();
  show_info();
  parts_->tiers.inject_all_faults(settings_.tiers);
  progress_.report("Ready", stages, stages);
  publish_snapshot();
  return {};
}

Status EngineLoop::open_store() {
  const auto interrupted = [this] { return around_.board.interrupted(); };
  for (const std::string& line : resolve_budgets(settings_.tiers, catalog_->full_bytes()))
    events_.publish(events::Message{"info", line});
  around_.board.set_full_bytes(catalog_->full_bytes());
  KV_ASSIGN(opened_, around_.config.open_tiers(runtime_->digest(), settings_, interrupted));
  for (const std::string& note : opened_.notes) events_.publish(events::Message{"warning", note});
  Snapshot& snapshot = catalog_->snapshot();
  snapshot.alpha = settings_.alpha;
  snapshot.candidates.quality_bound = settings_.quality_bound;
  for (std::size_t t = 0; t < opened_.tiers.size(); ++t) {
    opened_.tiers[t]->set_capacity(settings_.tiers[t].budget.capacity_bytes());
    snapshot.tiers.push_back({.name = settings_.tiers[t].name,
                              .budget_bytes = settings_.tiers[t].budget.bytes(),
                              .model = {},
                              .throttled = opened_.tiers[t]->describe().throttled});
    warn_of_unreadable(events_, settings_.tiers[t].name, *opened_.tiers[t]);
  }
  if (opened_.archive != nullptr) warn_of_unreadable(events_, archive_name, *opened_.archive);
  store_ = std::make_unique<CacheStore>(*runtime_, *catalog_, *opened_.lender, events_, clock_,
                                        std::move(opened_.tiers), std::move(opened_.archive));
  store_->set_stop(interrupted);
  store_->recover();
  return {};
}

// Bandwidths relative to prefill, now that it is timed. Tiers that get one are timed again.
Status EngineLoop::throttle_by_prefill() {
  const std::vector<TierConfig> before = settings_.tiers;
  for (const std::string& line : resolve_bandwidths(settings_.tiers, catalog_->snapshot()))
    events_.publish(events::Message{"info", line});
  for (std::size_t t = 0; t < before.size(); ++t) {
    const TierThrottle &now = settings_.tiers[t].throttle, &old = before[t].throttle;
    if (now.bytes_per_second == old.bytes_per_second && now.latency_seconds == old.latency_seconds) continue;
    KV_TRY(opened_.rethrottle(t, settings_.tiers[t]));
    KV_TRY(parts_->costs.time_tier(t, settings_.tiers[t]));
  }
  around_.board.set_throttles(settings_.tiers);
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
                          .contexts = catalog_->size(),
                          .questions = workload.questions.size(),
                          .split_refusal = split_refusal_of(*runtime_->model),
                          .layer_inputs_refusal = layer_inputs_refusal_of(*runtime_->model),
                          .model_note = runtime_->note});
}

void EngineLoop::set_state(RunState state) {
  // A thread that waits for the state reads the snapshot next, so it must be current.
  if (catalog_ != nullptr && catalog_->changed()) publish_snapshot();
  around_.board.set_state(state);
}

void EngineLoop::publish_snapshot() {
  Snapshot& live = catalog_->snapshot();
  ++live.version;
  auto reports = std::make_shared<std::vector<TierReport>>();
  for (std::size_t t = 0; store_ != nullptr && t < store_->tiers().count(); ++t)
    reports->push_back(store_->tiers().report(t));
  around_.board.show(
      {.snapshot = std::make_shared<const Snapshot>(live),
       .tier_reports = std::move(reports),
       .gauges = {.model_device = runtime_->device_gauges(),
                  .pool = parts_ != nullptr ? std::optional(parts_->requests.pool_report()) : std::nullopt,
                  .profiling = parts_ != nullptr ? parts_->racing.gauge() : std::nullopt,
                  .profiling_all = profiling_all_now()}});
  catalog_->mark_published();
  snapshot_published_ns_ = around_.clock.monotonic_ns();
}

ProfilingAll EngineLoop::profiling_all_now() const {
  if (!profiles_all_) return ProfilingAll::no;
  return parts_->recorder.in_run() ? ProfilingAll::beside_a_run : ProfilingAll::alone;
}

void EngineLoop::handle_commands() {
  const SessionBoard::Taken taken = around_.board.take(parts_->requests.any());
  const SessionBoard::Commands& commands = taken.commands;
  settings_wait_ = taken.settings_wait;
  if (commands.close || commands.stop) return end_work(commands.close);
  if (commands.settings) {
    parts_->requests.drop_prefetch();
    settings_applier_->apply(taken.settings);
    publish_snapshot();
  }
  const bool ends_profiling = commands.end_profiling && profiles_all_;
  if (commands.profile) parts_->profiler.profile_everything();
  if (ends_profiling) parts_->profiler.stop();
  if (commands.profile || ends_profiling) show_profiling_all(commands.profile);
  if (commands.start || commands.step) {
    one_step_ = commands.step;
    if (!parts_->recorder.in_run()) run_lifecycle_->begin(run_settings_of(settings_));
    set_state(RunState::running);
  } else if (commands.pause && taken.state == RunState::running) {
    set_state(RunState::paused);
  }
  around_.board.wake();  // wait_while_busy() also depends on pending commands
}

// Beside a run its state stays: a paused run is not resumed.
void EngineLoop::show_profiling_all(bool in_progress) {
  profiles_all_ = in_progress;
  publish_snapshot();
  if (!parts_->recorder.in_run()) set_state(in_progress ? RunState::running : RunState::ready);
}

void EngineLoop::finish_run(const std::string& outcome) {
  run_lifecycle_->finish(outcome, settings_applier_->scope());
  publish_snapshot();
}

void EngineLoop::end_work(bool close) {
  parts_->requests.cancel_all();
  parts_->requests.drop_prefetch();
  parts_->profiler.stop();
  if (std::exchange(profiles_all_, false)) publish_snapshot();  // nothing else may have changed
  if (parts_->recorder.in_run()) finish_run(close ? "closed" : "stopped");
  if (close) store_->finish_writes();
  set_state(close ? RunState::closed : RunState::ready);
}

// Requests come first. While the batch has a free place, background work runs one step at a time; while no request
// runs, it gets a time slice, or until the next arrival. One placement runs after each request even if others wait:
// otherwise a queue that never empties would keep every cache from being stored.
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
    if (parts.profiler.finish_everything()) show_profiling_all(false);
    if (!running || !parts.recorder.in_run() || at_a_rate) return true;
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
  if (parts_->arrivals.restart(settings_.request_limit)) return;
  finish_run("finished");
  set_state(RunState::finished);
}

// For frozen runs, between two requests: true while background work remains.
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
    parts_->placement.dispatch_event({.kind = PolicyEvent::Kind::profile_changed, .context = *changed});
}

double EngineLoop::seconds_until_next_arrival() const {
  if (!in_state(RunState::running) || !parts_->recorder.in_run() || parts_->arrivals.exhausted())
    return longest_pause_seconds;
  return parts_->arrivals.seconds_until_next();
}

// Nothing else would use the time until then. Re-profiling would.
bool EngineLoop::awaits_arrival_alone() const {
  const SessionParts& parts = *parts_;
  const ArrivalQueue& arrivals = parts.arrivals;
  if (!in_state(RunState::running) || !parts.recorder.in_run() || settings_wait_ || settings_.reprofile) return false;
  if (parts.requests.any() || arrivals.rate() <= 0 || arrivals.exhausted() || arrivals.has_put_back()) return false;
  if (parts.placement.has_actions() || parts.racing.plans_aside()) return false;
  return store_->writes().empty() && !store_->originals().is_writing() && !store_->chunk_copies().is_writing();
}

void EngineLoop::pass_idle_time() {
  const bool leave_out = around_.config.leave_out_idle && awaits_arrival_alone();
  const double longest = leave_out ? rest_seconds : longest_pause_seconds;
  const bool commanded =
      around_.board.wait_for_command(std::clamp(seconds_until_next_arrival(), shortest_pause_seconds, longest));
  if (leave_out && !commanded) clock_.leap(parts_->arrivals.seconds_until_next());
}

}  // namespace kvantage::inline engine
