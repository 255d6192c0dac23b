// A session that reports what a busy engine reports, made in advance from a seed: requests with their tokens, moves,
// plans, fits, occupancy, snapshots. History comes as fast as it is drained, the rest by the clock, so making it does
// not count in what is measured.
#pragma once

#include <chrono>
#include <deque>

#include "core/policy/access_statistics.h"
#include "tests/ui/window/scripted_session.h"

namespace kvantage::test {

class BusySession final : public Session {
 public:
  struct Options {
    std::size_t contexts = 1000;
    double requests_per_second = 100;
    int answer_tokens = 12;
    double moves_per_request = 0.5;
    std::uint64_t seed = 11;
  };

  explicit BusySession(const Options& options) : options_(options), random_(options.seed) {
    ScriptedSession script(options.contexts);
    script.set_state(RunState::ready);
    script.serve(50);
    state_ = *script.snapshot();
    settings_ = script.settings();
    info_ = script.info();
    snapshots_.push_back({0, copy_of_state()});
    std::vector<TierReport> reports;
    for (const TierState& tier : state_.tiers) {
      TierReport report;
      report.description = {tier.name, "file system", tier.throttled, "io_uring, registered buffers; O_DIRECT"};
      report.fit.model = tier.model;
      report.fit.samples = 64;
      for (int i = 0; i < 64; ++i) {
        const double bytes = 1e5 + 6e6 * random_.uniform(),
                     seconds = tier.model.seconds(bytes, 0) * (0.9 + 0.2 * random_.uniform());
        report.fit.loads.push_back({bytes, seconds, tier.model.seconds(bytes, 0), tier.model.seconds(bytes, 0), false});
      }
      report.fit.fitted = report.fit.predicted = {64, 0.05, 0.1};
      reports.push_back(report);
    }
    reports_ = std::make_shared<const std::vector<TierReport>>(std::move(reports));
    push(events::RunStarted{"run-1", to_json(settings_)});
  }

  /// So many requests were served before anybody looked.
  void make_history(int requests) {
    for (int i = 0; i < requests; ++i) make_request();
    snapshots_.assign(1, {0, copy_of_state()});
  }
  /// What follows in so many seconds from the moment of go() on.
  void make_stream(double seconds) {
    made_seconds_ = 0;
    by_clock_ = true;
    double shown = 0;
    while (made_seconds_ < seconds) {
      make_request();
      if (made_seconds_ - shown < 0.1) continue;
      shown = made_seconds_;
      snapshots_.push_back({made_seconds_, copy_of_state()});
    }
  }
  void go() {
    started_ = Clock::now();
    running_ = true;
  }
  std::uint64_t requests_made() const { return request_; }
  bool history_waits() const { return !waiting_.empty() && waiting_.front().due == 0; }

  RunState state() const override { return run_state_; }
  SessionInfo info() const override { return info_; }
  void start() override { run_state_ = RunState::running; }
  void pause() override { run_state_ = RunState::paused; }
  void step() override { run_state_ = RunState::paused; }
  void stop() override { run_state_ = RunState::finished; }
  SessionSettings settings() const override { return settings_; }
  Status apply(const SessionSettings& settings) override {
    KV_TRY(validate(settings));
    const Json before = to_json(settings_), after = to_json(settings);
    settings_ = settings;
    for (const auto& [name, value] : after.items())
      if (before.at(name) != value)
        waiting_.push_front({0, event_of(events::SettingChanged{name, before.at(name), value})});
    return {};
  }
  std::shared_ptr<const Snapshot> snapshot() const override {
    const double now = seconds();
    const Timed<std::shared_ptr<const Snapshot>>* latest = &snapshots_.front();
    for (const auto& candidate : snapshots_)
      if (candidate.due <= now) latest = &candidate;
    return latest->value;
  }
  std::shared_ptr<const std::vector<TierReport>> tier_reports() const override { return reports_; }
  std::vector<Event> drain(std::size_t limit) override {
    const double now = seconds();
    std::vector<Event> taken;
    while (!waiting_.empty() && taken.size() < limit && waiting_.front().due <= now) {
      taken.push_back(std::move(waiting_.front().value));
      waiting_.pop_front();
      if (auto* finished = std::get_if<events::RequestFinished>(&taken.back().payload)) {
        finished->record.policy = settings_.policy;
        finished->record.alpha = settings_.alpha;
      }
    }
    return taken;
  }

 private:
  using Clock = std::chrono::steady_clock;
  template <class T>
  struct Timed {
    double due = 0;
    T value;
  };

  double seconds() const { return running_ ? std::chrono::duration<double>(Clock::now() - started_).count() : 0; }
  std::shared_ptr<const Snapshot> copy_of_state() {
    state_.version = ++version_;
    return std::make_shared<const Snapshot>(state_);
  }
  Event event_of(EventPayload payload) {
    Event event;
    event.sequence = ++sequence_;
    event.monotonic_ns = static_cast<std::int64_t>(run_seconds_ * 1e9);
    event.payload = std::move(payload);
    return event;
  }
  void push(EventPayload payload) { waiting_.push_back({by_clock_ ? made_seconds_ : 0, event_of(std::move(payload))}); }
  void pass(double seconds) {
    made_seconds_ += seconds;
    run_seconds_ += seconds;
  }

  void make_request() {
    const auto count = static_cast<double>(state_.contexts.size());
    const auto index =
        (static_cast<std::size_t>(std::pow(random_.uniform(), 2.2) * count) * 7) % state_.contexts.size();
    const ContextState& context = state_.contexts[index];
    const Configuration& placed = context.placement;
    const double gap = 1 / options_.requests_per_second;
    RequestRecord record;
    record.id = ++request_;
    record.context = context.key;
    record.context_id = context.id;
    record.family = context.family;
    record.question = "In the " + context.family + " text, which item was moved to the north shelf on Tuesday?";
    push(events::RequestStarted{record.id, record.context_id, record.family, record.question});
    const int tokens = by_clock_ ? options_.answer_tokens : 0;  // of an answer that was given nobody hears its tokens
    for (int token = 0; token < tokens; ++token) {
      pass(gap / (tokens + 1));
      push(events::TokenEmitted{record.id, " word"});
    }
    pass(gap / (tokens + 1));
    record.answer = record.gold = record.reference_answer = "the brass key";
    record.policy = settings_.policy;
    record.alpha = settings_.alpha;
    record.context_tokens = context.tokens;
    record.question_tokens = 18;
    record.answer_tokens = options_.answer_tokens;
    RequestTiming& t = record.timing;
    t.lookup_seconds = 0.0002;
    t.question_prefill_seconds = 0.012 * (0.85 + 0.3 * random_.uniform());
    if (placed.stored()) {
      const TierState& tier = state_.tiers[static_cast<std::size_t>(placed.tier)];
      record.source = tier.name;
      record.method = placed.method;
      record.removed_fraction = placed.removed_fraction;
      record.bytes_loaded = context.stored_bytes;
      record.prefix_hit_tokens = context.tokens;
      t.load_seconds = t.device_seconds =
          tier.model.seconds(static_cast<double>(context.stored_bytes), 0) * (0.9 + 0.2 * random_.uniform());
      record.provenance = tier.throttled ? Provenance::throttled : Provenance::measured;
    } else {
      record.source = "prefill";
      record.miss_reason = "absent";
      t.context_prefill_seconds = state_.prefill.seconds(context.tokens);
    }
    record.kept_tokens = static_cast<int>(context.tokens * (1 - record.removed_fraction));
    t.ttft_seconds = t.ttft_service_seconds =
        t.lookup_seconds + t.load_seconds + t.context_prefill_seconds + t.question_prefill_seconds;
    t.e2e_seconds = t.ttft_seconds + gap;
    record.quality = {{"token_f1", random_.uniform() < 0.8 ? 1.0 : random_.uniform()}, {"exact_match", 1.0}};
    record.predicted_quality = 0.8;
    record.predicted_ttft_seconds = t.ttft_service_seconds;
    push(events::RequestFinished{std::move(record)});
    note_request(state_, index, request_);
    if (random_.uniform() < options_.moves_per_request) move_one();
    if (request_ % 8 == 0) push(events::PlanMade{settings_.policy, settings_.alpha, 0.8, 0.05, 12, 2, 0.002});
    if (request_ % 16 == 0)
      for (const TierState& tier : state_.tiers)
        push(events::TierFitted{tier.name, tier.model, static_cast<int>(request_), tier.throttled});
    if (request_ % 50 == 0) push(events::Progress{"Profiling", request_ % 1000, 1000});
    if (request_ % 100 == 0) {
      ContextState& profiled = state_.contexts[random_.below(state_.contexts.size())];
      profiled.profile = std::make_shared<const ContextProfile>(*profiled.profile);
      push(events::ContextProfiled{profiled.key, profiled.id, profiled.family, *profiled.profile, 0.4, false, true});
    }
  }

  /// Anywhere, in any form that was profiled: room is not what is looked at here.
  void move_one() {
    ContextState& context = state_.contexts[random_.below(state_.contexts.size())];
    const auto& points = context.profile->points;
    const ProfilePoint& point = points[random_.below(points.size())];
    PlacementAction action;
    action.context = context.key;
    action.from = context.placement;
    action.bytes_before = context.stored_bytes;
    action.to.tier = static_cast<int>(random_.below(state_.tiers.size() + 1)) - 1;
    if (action.to.stored()) {
      action.to.method = point.method;
      action.to.removed_fraction = point.removed_fraction;
      action.bytes_after = point.bytes;
    }
    action.kind = !action.to.stored()                 ? ActionKind::evict
                  : !action.from.stored()             ? ActionKind::store
                  : action.to.tier > action.from.tier ? ActionKind::demote
                  : action.to.tier < action.from.tier ? ActionKind::promote
                                                      : ActionKind::compress;
    action.reason = "dram was full; moving this context cost the least utility (0.012 s); runner-up: " +
                    state_.contexts[random_.below(state_.contexts.size())].id + " to ssd, uncompressed (0.041 s)";
    context.placement = action.to;
    context.stored_bytes = action.bytes_after;
    push(events::PlacementCommitted{action, context.id, 0.01});
    for (std::size_t t = 0; t < state_.tiers.size(); ++t) {
      if (static_cast<int>(t) != action.from.tier && static_cast<int>(t) != action.to.tier) continue;
      events::TierOccupancy occupancy{state_.tiers[t].name, 0, state_.tiers[t].budget_bytes, {}};
      for (const ContextState& other : state_.contexts)
        if (other.placement.tier == static_cast<int>(t)) {
          occupancy.used_bytes += other.stored_bytes;
          occupancy.bytes_by_method[other.placement.removed_fraction > 0 ? other.placement.method : "none"] +=
              other.stored_bytes;
        }
      push(std::move(occupancy));
    }
  }

  Options options_;
  Random random_;
  Snapshot state_;
  SessionSettings settings_;
  SessionInfo info_;
  RunState run_state_ = RunState::ready;
  std::shared_ptr<const std::vector<TierReport>> reports_;
  std::deque<Timed<Event>> waiting_;
  std::vector<Timed<std::shared_ptr<const Snapshot>>> snapshots_;
  Clock::time_point started_;
  std::uint64_t request_ = 0, sequence_ = 0, version_ = 0;
  double made_seconds_ = 0, run_seconds_ = 0;
  bool running_ = false, by_clock_ = false;
};

}  // namespace kvantage::test
