// A session for tests of the window: no engine behind it. Requests are served by arithmetic over made-up but lifelike
// profiles, on the caller's thread and on its word, so that a test knows every event that it caused.
#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "core/base/random.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "core/ports/session.h"

namespace kvantage {

class ScriptedSession : public Session {
 public:
  explicit ScriptedSession(std::size_t contexts = 24, std::uint64_t seed = 7) : random_(seed) {
    settings_.policy = "evicpress";
    settings_.alpha = 0.8;
    settings_.methods = {"none", "knorm", "keydiff", "snapkv", "streaming_llm"};
    settings_.removed_fractions = {0.25, 0.5, 0.75, 0.9};
    info_ = {"kvantage-12M", "quickstart", "run-1", 6, 2, 64, 12'400'000, "CPU, AVX-512 bf16, 2 threads",
             contexts,       contexts * 8};
    base_ = make_snapshot(contexts);
    for (const TierState& tier : base_.tiers) settings_.tiers.push_back({tier.name, tier.budget_bytes, 0, 0});
    settings_.tiers[1].throttle.bytes_per_second = base_.tiers[1].model.bytes_per_second;
    settings_.tiers[1].throttle.latency_seconds = base_.tiers[1].model.latency_seconds;
    adopt();
  }

  // --- what the window calls ---
  RunState state() const override {
    return locked<RunState>([&] { return state_; });
  }
  SessionInfo info() const override {
    return locked<SessionInfo>([&] { return state_ == RunState::loading ? SessionInfo{} : info_; });
  }
  void start() override { command(RunState::running); }
  void pause() override { command(RunState::paused); }
  void step() override { command(RunState::paused); }
  void stop() override {
    const std::lock_guard lock(mutex_);
    ++stops;
    state_ = RunState::finished;
  }
  void profile_all() override { set_profiling(ProfilingAll::alone); }
  void stop_profiling() override { set_profiling(ProfilingAll::no); }
  SessionGauges gauges() const override {
    return locked<SessionGauges>([&] { return gauges_; });
  }
  Status apply(const SessionSettings& settings) override {
    KV_TRY(validate(settings));
    const std::lock_guard lock(mutex_);
    applied.push_back(settings);
    const Json before = to_json(settings_), after = to_json(settings);
    settings_ = settings;
    for (const auto& [name, value] : after.items())
      if (before.at(name) != value) publish(events::SettingChanged{name, before.at(name), value});
    adopt();
    return {};
  }
  SessionSettings settings() const override {
    return locked<SessionSettings>([&] { return settings_; });
  }
  std::shared_ptr<const Snapshot> snapshot() const override {
    return locked<std::shared_ptr<const Snapshot>>([&] { return state_ == RunState::loading ? nullptr : snapshot_; });
  }
  std::vector<Event> drain(std::size_t limit) override {
    const std::lock_guard lock(mutex_);
    std::vector<Event> taken;
    while (!queue_.empty() && taken.size() < limit) {
      taken.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return taken;
  }

  // --- what the test calls ---
  void set_state(RunState state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }
  /// As an engine shows it, with a snapshot; alone: the state is `running` meanwhile, then `ready`.
  void set_profiling(ProfilingAll profiling) {
    const std::lock_guard lock(mutex_);
    if (profiling == ProfilingAll::alone) state_ = RunState::running;
    if (profiling == ProfilingAll::no && gauges_.profiling_all == ProfilingAll::alone) state_ = RunState::ready;
    gauges_.profiling_all = profiling;
    publish_snapshot();
  }
  void set_profiling(const ProfilingGauge& gauge) {
    const std::lock_guard lock(mutex_);
    gauges_.profiling = gauge;
    publish_snapshot();
  }
  /// Points of the last `count` contexts are pooled from others.
  void pool_profiles(std::size_t count) {
    const std::lock_guard lock(mutex_);
    pooled_ = count;
    publish_snapshot();
  }
  void emit_event(EventPayload payload) {
    const std::lock_guard lock(mutex_);
    publish(std::move(payload));
  }
  void advance(double seconds) {
    const std::lock_guard lock(mutex_);
    now_seconds_ += seconds;
  }
  /// Serves `count` requests with skewed popularity and publishes what an engine would.
  void serve(int count) {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) serve_one();
    publish_snapshot();
  }
  /// A request that has begun and emitted a few tokens, but not finished.
  std::uint64_t begin_request() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t id = ++request_;
    const ContextState& context = simulation_->snapshot().contexts[0];
    publish(events::RequestStarted{id, context.id, context.family, "Where is the brass key kept?"});
    for (const char* token : {"In", " the", " blue"}) publish(events::TokenEmitted{id, token});
    return id;
  }
  void publish_profiles() {
    const std::lock_guard lock(mutex_);
    std::uint64_t done = 0;
    for (const ContextState& context : base_.contexts) {
      publish(events::ContextProfiled{context.key, context.id, context.family, *context.profile, 0.4, true});
      publish(events::Progress{"Reading profiles", ++done, base_.contexts.size()});
    }
  }
  /// The last `count` contexts have no profile yet.
  void forget_profiles(std::size_t count) {
    const std::lock_guard lock(mutex_);
    unprofiled_ = count;
    publish_snapshot();
  }
  /// Ways to decode, as measured on one context.
  void profile_decode_options(std::size_t context, std::vector<DecodeOption> options) {
    const std::lock_guard lock(mutex_);
    decode_options_[context] = std::move(options);
    publish_snapshot();
  }
  /// Before it has loaded.
  void set_model_note(const std::string& note) {
    const std::lock_guard lock(mutex_);
    info_.model_note = note;
  }
  std::size_t waiting_events() const {
    return locked<std::size_t>([&] { return queue_.size(); });
  }

  std::vector<SessionSettings> applied;
  int stops = 0;

 private:
  template <class T>
  T locked(const std::function<T()>& read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }
  void command(RunState state) {
    const std::lock_guard lock(mutex_);
    if (state == RunState::running && state_ != RunState::running && !announced_) {
      announced_ = true;
      publish(events::RunStarted{"run-1", to_json(settings_)});
    }
    state_ = state;
  }
  void publish(EventPayload payload) {
    Event event;
    event.sequence = ++sequence_;
    event.monotonic_ns = static_cast<std::int64_t>(now_seconds_ * 1e9);
    event.payload = std::move(payload);
    queue_.push_back(std::move(event));
  }

  Snapshot make_snapshot(std::size_t count) {
    static const char* const families[] = {"needle", "inventory", "meeting", "news", "story", "fewshot"};
    // How gently each family takes each method: quality = base * (1 - removed^power).
    static const double powers[6][4] = {{1.2, 2.2, 5.0, 0.5}, {1.6, 3.4, 3.0, 0.7}, {2.2, 5.0, 4.0, 1.1},
                                        {2.6, 4.5, 6.0, 1.6}, {3.5, 6.0, 5.0, 2.6}, {1.4, 2.6, 2.2, 0.9}};
    static const char* const methods[] = {"knorm", "keydiff", "snapkv", "streaming_llm"};
    Snapshot snapshot;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      ContextState context;
      context.key = {i + 1, random_.next()};
      context.family = families[i % 6];
      context.id = context.family + "-" + std::to_string(i / 6 + 1);
      context.tokens = 1024 + static_cast<int>(random_.below(1024));
      const double token_bytes = 3072;
      context.full_bytes = static_cast<std::uint64_t>(context.tokens * token_bytes) + 8192;
      all += context.full_bytes;
      auto profile = std::make_shared<ContextProfile>();
      const double base = 0.78 + 0.2 * random_.uniform();
      const auto point = [&](const std::string& method, double removed, double quality, double spread) {
        ProfilePoint made;
        made.method = method;
        made.removed_fraction = removed;
        made.quality = quality;
        made.quality_low = std::max(0.0, quality - spread);
        made.quality_high = std::min(1.0, quality + spread);
        made.n = 6;
        made.kept_tokens = static_cast<int>(context.tokens * (1 - removed));
        made.bytes = static_cast<std::uint64_t>(context.tokens * (1 - removed) * token_bytes) + 8192;
        profile->points.push_back(made);
      };
      point("none", 0, base, 0.06);
      for (std::size_t m = 0; m < 4; ++m) {
        const double power = powers[i % 6][m] * (0.7 + 0.6 * random_.uniform());
        for (const double removed : {0.25, 0.5, 0.75, 0.9})
          point(methods[m], removed, base * (1 - std::pow(removed, power) * 0.97),
                0.05 + 0.09 * removed * random_.uniform());
      }
      context.profile = profile;
      snapshot.contexts.push_back(std::move(context));
    }
    const double full = static_cast<double>(all);
    snapshot.tiers = {{"dram", static_cast<std::uint64_t>(full * 0.12), {0.0004, 1.1e9, 2e-7, 1e-4}, false},
                      {"ssd", static_cast<std::uint64_t>(full * 0.25), {0.003, 6.5e7, 2e-7, 1e-3}, true}};
    snapshot.prefill = {0.01, 1.6e-4, 2.4e-8};
    snapshot.question = {0.012, 1.5e-6};
    return snapshot;
  }

  /// Settings into the state: alpha, budgets, candidates; another policy continues from the present placements.
  void adopt() {
    Snapshot live = base_;
    live.alpha = settings_.alpha;
    live.candidates.methods = settings_.methods;
    live.candidates.fractions = settings_.removed_fractions;
    for (std::size_t i = 0; i < live.tiers.size(); ++i) live.tiers[i].budget_bytes = settings_.tiers[i].budget.bytes();
    const auto policy = make_policy(settings_.policy);
    if (!policy) return;
    if (!simulation_ || simulation_->policy().name() != (*policy)->name()) {
      if (simulation_) {
        live.contexts = simulation_->snapshot().contexts;
        SimulationOptions warm;
        warm.cold = false;
        simulation_ = std::make_unique<WhatIfSimulation>(live, *policy, warm);
      } else {
        simulation_ = std::make_unique<WhatIfSimulation>(live, *policy);
      }
    }
    const std::vector<ContextState> before = simulation_->snapshot().contexts;
    simulation_->follow(live);
    publish_moves(before);
    publish_snapshot();
  }

  void publish_moves(const std::vector<ContextState>& before) {
    const Snapshot& now = simulation_->snapshot();
    bool moved = false;
    for (std::size_t i = 0; i < now.contexts.size(); ++i) {
      const ContextState& context = now.contexts[i];
      if (context.placement == before[i].placement) continue;
      moved = true;
      PlacementAction action;
      action.context = context.key;
      action.from = before[i].placement;
      action.to = context.placement;
      action.bytes_before = before[i].stored_bytes;
      action.bytes_after = context.stored_bytes;
      action.kind = !action.to.stored()                 ? ActionKind::evict
                    : !action.from.stored()             ? ActionKind::store
                    : action.to.tier > action.from.tier ? ActionKind::demote
                    : action.to.tier < action.from.tier ? ActionKind::promote
                                                        : ActionKind::compress;
      action.utility_drop = 0.001 * static_cast<double>(random_.below(40));
      action.reason = action.kind == ActionKind::evict
                          ? "dram was full; moving this context cost the least utility (" +
                                std::to_string(action.utility_drop).substr(0, 5) +
                                " s); runner-up: " + now.contexts[(i + 5) % now.contexts.size()].id +
                                " to ssd, uncompressed (0.041 s)"
                          : "best utility that fits; runner-up would lose " +
                                std::to_string(0.01 + action.utility_drop).substr(0, 5);
      publish(events::PlacementCommitted{action, context.id, 0.01});
    }
    if (!moved && occupancy_published_) return;
    occupancy_published_ = true;
    for (std::size_t t = 0; t < now.tiers.size(); ++t) {
      events::TierOccupancy occupancy{now.tiers[t].name, 0, now.tiers[t].budget_bytes, {}};
      for (const ContextState& context : now.contexts) {
        if (context.placement.tier != static_cast<int>(t)) continue;
        occupancy.used_bytes += context.stored_bytes;
        occupancy.bytes_by_method[context.placement.removed_fraction > 0 ? context.placement.method : "none"] +=
            context.stored_bytes;
      }
      publish(occupancy);
    }
  }

  void serve_one() {
    const Snapshot& snapshot = simulation_->snapshot();
    const double skew = std::pow(random_.uniform(), 2.2);
    const std::size_t index =
        (static_cast<std::size_t>(skew * static_cast<double>(snapshot.contexts.size())) * 7) % snapshot.contexts.size();
    const ContextState context = snapshot.contexts[index];
    const std::vector<ContextState> before = snapshot.contexts;
    const Prediction prediction = predict(snapshot, context, context.placement, 0.9);
    const std::uint64_t id = ++request_;
    const std::string subject = context.family;
    publish(events::RequestStarted{id, context.id, context.family,
                                   "In the " + subject + " text, which item was moved to the north shelf on Tuesday?"});
    publish(events::TokenEmitted{id, "the brass"});
    const SimulatedRequest served = simulation_->request(index);
    RequestRecord record;
    record.id = id;
    record.context = context.key;
    record.context_id = context.id;
    record.family = context.family;
    record.question = "In the " + subject + " text, which item was moved to the north shelf on Tuesday?";
    record.gold = "the brass key";
    record.reference_answer = "the brass key";
    record.policy = settings_.policy;
    record.alpha = settings_.alpha;
    record.source = served.tier == not_stored ? "prefill" : snapshot.tiers[static_cast<std::size_t>(served.tier)].name;
    record.method = served.tier == not_stored ? "none" : context.placement.method;
    record.removed_fraction = served.tier == not_stored ? 0 : context.placement.removed_fraction;
    record.context_tokens = context.tokens;
    record.kept_tokens = static_cast<int>(context.tokens * (1 - record.removed_fraction));
    record.prefix_hit_tokens = served.tier == not_stored ? 0 : context.tokens;
    record.question_tokens = 18;
    record.answer_tokens = 4;
    record.bytes_loaded = served.tier == not_stored ? 0 : context.stored_bytes;
    const double jitter = 0.85 + 0.3 * random_.uniform();
    RequestTiming& t = record.timing;
    t.lookup_seconds = 0.0002;
    t.question_prefill_seconds = snapshot.question.seconds(record.kept_tokens) * jitter;
    if (served.tier == not_stored) {
      t.context_prefill_seconds = snapshot.prefill.seconds(context.tokens) * jitter;
      record.miss_reason = "absent";
    } else {
      const TierModel& model = snapshot.tiers[static_cast<std::size_t>(served.tier)].model;
      t.load_seconds =
          (model.latency_seconds + static_cast<double>(record.bytes_loaded) / model.bytes_per_second) * jitter;
      t.device_seconds = t.load_seconds;
      t.decode_seconds = model.decode_seconds_per_token * record.kept_tokens;
      if (served.tier == 1) record.provenance = Provenance::throttled;
    }
    record.provenance = Provenance::throttled;
    t.ttft_service_seconds =
        t.lookup_seconds + t.load_seconds + t.decode_seconds + t.context_prefill_seconds + t.question_prefill_seconds;
    t.ttft_seconds = t.ttft_service_seconds;
    t.mean_itl_seconds = 0.009;
    t.e2e_seconds = t.ttft_seconds + 4 * t.mean_itl_seconds;
    const bool right = random_.uniform() < prediction.quality;
    record.answer = right ? "the brass key" : "the copper lamp";
    record.quality = {{"token_f1", right                     ? 1.0
                                   : random_.uniform() < 0.4 ? 1.0 / 3
                                                             : 0.0},
                      {"exact_match", right ? 1.0 : 0.0}};
    record.predicted_quality = prediction.quality;
    record.predicted_ttft_seconds = prediction.ttft_seconds;
    now_seconds_ += t.e2e_seconds;
    publish(events::RequestFinished{record});
    if (served.tier == not_stored)
      publish(events::ContextComputed{context.key, context.id, context.tokens, context.full_bytes,
                                      t.context_prefill_seconds});
    publish_moves(before);
  }

  void publish_snapshot() {
    auto copy = std::make_shared<Snapshot>(simulation_->snapshot());
    copy->version = ++version_;
    for (const auto& [context, options] : decode_options_) {
      auto profile = std::make_shared<ContextProfile>(*copy->contexts[context].profile);
      profile->decode_options = options;
      copy->contexts[context].profile = std::move(profile);
    }
    for (std::size_t i = copy->contexts.size() - unprofiled_; i < copy->contexts.size(); ++i)
      copy->contexts[i].profile = nullptr;
    for (std::size_t i = copy->contexts.size() - pooled_; i < copy->contexts.size(); ++i) {
      auto profile = std::make_shared<ContextProfile>(*copy->contexts[i].profile);
      for (ProfilePoint& point : profile->points) {
        point.n = 0;
        point.expected_quality = point.quality;
        point.expected_low = point.quality_low;
      }
      copy->contexts[i].profile = std::move(profile);
    }
    snapshot_ = copy;
  }

  mutable std::mutex mutex_;
  Random random_;
  std::size_t unprofiled_ = 0, pooled_ = 0;
  SessionGauges gauges_;
  std::map<std::size_t, std::vector<DecodeOption>> decode_options_;
  RunState state_ = RunState::loading;
  SessionSettings settings_;
  SessionInfo info_;
  Snapshot base_;
  std::unique_ptr<WhatIfSimulation> simulation_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::deque<Event> queue_;
  std::uint64_t sequence_ = 0, request_ = 0, version_ = 0;
  double now_seconds_ = 0;
  bool announced_ = false, occupancy_published_ = false;
};

}  // namespace kvantage
