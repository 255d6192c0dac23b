#include "core/experiments/simulated_session.h"

#include "core/experiments/worked_example.h"
#include "core/policy/actions.h"
#include "core/policy/present_plan.h"

namespace kvantage::inline experiments {

SimulatedSession::SimulatedSession(std::string name, Snapshot snapshot, SessionSettings settings, Clock clock)
    : name_(std::move(name)), empty_(std::move(snapshot)), settings_(std::move(settings)), clock_(std::move(clock)) {
  enter_contexts();
}

RunState SimulatedSession::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

SessionInfo SimulatedSession::info() const {
  SessionInfo info;
  info.model_name = "no model";
  info.workload_name = name_;
  info.run_id = name_;
  info.device = "simulated, nothing is computed";
  info.contexts = empty_.contexts.size();
  return info;
}

SessionSettings SimulatedSession::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

std::shared_ptr<const Snapshot> SimulatedSession::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

void SimulatedSession::publish(EventPayload payload) {
  Event event;
  event.sequence = ++sequence_;
  event.monotonic_ns = static_cast<std::int64_t>(clock_() * 1e9);
  event.payload = std::move(payload);
  events_.push_back(std::move(event));
}

void SimulatedSession::command(RunState state) {
  const std::lock_guard lock(mutex_);
  if (state == RunState::running && !announced_) {
    announced_ = true;
    publish(events::RunStarted{name_, to_json(settings_)});
    publish_occupancy();
  }
  if (state == RunState::running && state_ != RunState::running) next_seconds_ = clock_() + turn_seconds;
  state_ = state;
}

void SimulatedSession::step() {
  const std::lock_guard lock(mutex_);
  state_ = RunState::paused;
  serve_one();
}

Status SimulatedSession::apply(const SessionSettings& settings) {
  KV_TRY(validate(settings));
  const std::lock_guard lock(mutex_);
  const Json before = to_json(settings_), after = to_json(settings);
  settings_ = settings;
  for (const auto& [name, value] : after.items())
    if (before.at(name) != value) publish(events::SettingChanged{name, before.at(name), value});
  enter_contexts();
  return {};
}

// From scratch, in order: the placements of a scheme must not depend on the previous one.
void SimulatedSession::enter_contexts() {
  PolicyState state{empty_};
  state.snapshot.alpha = settings_.alpha;
  state.snapshot.candidates.methods = settings_.methods;
  state.snapshot.candidates.fractions = settings_.removed_fractions;
  state.snapshot.candidates.quality_bound = settings_.quality_bound;
  for (std::size_t t = 0; t < state.snapshot.tiers.size() && t < settings_.tiers.size(); ++t) {
    TierState& tier = state.snapshot.tiers[t];
    const TierConfig& wanted = settings_.tiers[t];
    tier.budget_bytes = wanted.budget.bytes();
    tier.throttled = wanted.throttle.any();
    if (wanted.throttle.bytes_per_second > 0)
      tier.model.bytes_per_second = std::min(tier.model.bytes_per_second, wanted.throttle.bytes_per_second);
    tier.model.latency_seconds = std::max(tier.model.latency_seconds, wanted.throttle.latency_seconds);
  }
  if (const auto policy = make_policy(settings_.policy))
    for (std::size_t c = 0; c < state.snapshot.contexts.size(); ++c)
      for (const PlacementAction& action :
           (*policy)->step(state, {PolicyEvent::Kind::context_computed, state.snapshot.contexts[c].key}).actions) {
        const auto at = find_context(state.snapshot, action.context);
        publish(events::PlacementCommitted{action, at ? state.snapshot.contexts[*at].id : std::string(), 0});
        kvantage::apply(state.snapshot, action);
      }
  plan_ = present_plan(state.snapshot);
  state.snapshot.version = ++version_;
  snapshot_ = std::make_shared<const Snapshot>(std::move(state.snapshot));
  publish_occupancy();
}

void SimulatedSession::publish_occupancy() {
  const std::vector<std::uint64_t> used = used_bytes(*snapshot_);
  for (std::size_t t = 0; t < snapshot_->tiers.size(); ++t) {
    events::TierOccupancy occupancy{
        snapshot_->tiers[t].name, used[t], TierBudget(snapshot_->tiers[t].budget_bytes).capacity_bytes(), {}};
    for (const ContextState& context : snapshot_->contexts)
      if (context.placement.tier == static_cast<int>(t))
        occupancy.bytes_by_method[context.placement.method] += context.stored_bytes;
    publish(std::move(occupancy));
  }
}

void SimulatedSession::serve_one() {
  const std::size_t index = static_cast<std::size_t>(served_ % snapshot_->contexts.size());
  const ContextState& context = snapshot_->contexts[index];
  const PlannedContext& predicted = plan_.contexts[index];
  const bool hit = context.placement.stored();
  RequestRecord record;
  record.id = ++served_;
  record.context = context.key;
  record.context_id = context.id;
  record.family = context.family;
  record.question = context.id + " is asked; simulated, so there is no text";
  record.policy = settings_.policy;
  record.alpha = settings_.alpha;
  record.source = hit ? snapshot_->tiers[static_cast<std::size_t>(context.placement.tier)].name : "prefill";
  if (hit) {
    record.method = context.placement.method;
    record.removed_fraction = context.placement.removed_fraction;
    record.bytes_loaded = context.stored_bytes;
    record.prefix_hit_tokens = context.tokens;
    record.timing.load_seconds = record.timing.device_seconds = predicted.ttft_seconds;
  } else {
    record.miss_reason = "absent";
    record.timing.context_prefill_seconds = predicted.ttft_seconds;
  }
  record.context_tokens = context.tokens;
  record.kept_tokens = static_cast<int>(context.tokens * (1 - record.removed_fraction));
  record.timing.ttft_service_seconds = record.timing.ttft_seconds = record.timing.e2e_seconds = predicted.ttft_seconds;
  record.quality[settings_.quality_metric] = predicted.quality;
  record.predicted_quality = predicted.quality;
  record.predicted_ttft_seconds = predicted.ttft_seconds;
  record.provenance = Provenance::simulated;
  publish(events::RequestStarted{record.id, record.context_id, record.family, record.question});
  publish(events::RequestFinished{std::move(record)});
  if (settings_.request_limit > 0 && served_ >= settings_.request_limit) state_ = RunState::finished;
}

std::vector<Event> SimulatedSession::drain(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  if (state_ == RunState::loading) state_ = RunState::ready;
  if (state_ == RunState::running && now - next_seconds_ > 10)
    next_seconds_ = now;  // nothing was drained for a while: do not catch up all at once
  while (state_ == RunState::running && next_seconds_ <= now) {
    next_seconds_ += turn_seconds;
    for (std::size_t c = 0; c < snapshot_->contexts.size() && state_ == RunState::running; ++c) serve_one();
  }
  std::vector<Event> taken;
  while (!events_.empty() && taken.size() < limit) {
    taken.push_back(std::move(events_.front()));
    events_.pop_front();
  }
  return taken;
}

std::unique_ptr<SimulatedSession> worked_example_session(SimulatedSession::Clock clock) {
  Snapshot snapshot = worked_example();
  SessionSettings settings;
  settings.policy = "fixed(cut,0.5)";
  settings.alpha = snapshot.alpha;
  settings.methods = {"none", "cut"};
  settings.removed_fractions = {0.5, 0.95};
  settings.quality_metric = "quality";
  settings.reprofile = false;
  for (const TierState& tier : snapshot.tiers)
    settings.tiers.push_back({.name = tier.name, .budget = tier.budget_bytes});
  return std::make_unique<SimulatedSession>(worked_example_name, std::move(snapshot), std::move(settings),
                                            std::move(clock));
}

}  // namespace kvantage::inline experiments
