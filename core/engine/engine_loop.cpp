#include <algorithm>

#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

constexpr double placement_slice_seconds = 0.05;  // most work between two requests
constexpr double profile_slice_seconds = 0.1;

}  // namespace

void Engine::Worker::set_state(RunState state) {
  // Who waits for the state reads the snapshot next: it must tell of everything before it.
  if (snapshot_changed_ && catalogue_ != nullptr) publish_snapshot();
  {
    const std::lock_guard lock(engine_.mutex_);
    engine_.state_ = state;
  }
  engine_.changed_.notify_all();
}

void Engine::Worker::publish_snapshot() {
  Snapshot& live = catalogue_->snapshot();
  ++live.version;
  auto copy = std::make_shared<const Snapshot>(live);
  auto reports = std::make_shared<std::vector<TierReport>>();
  for (std::size_t t = 0; t < store_->tier_count(); ++t) reports->push_back(store_->report(t));
  auto model_device = device_gauges();
  const std::lock_guard lock(engine_.mutex_);
  engine_.snapshot_ = std::move(copy);
  engine_.tier_reports_ = std::move(reports);
  engine_.model_device_ = std::move(model_device);
  snapshot_changed_ = false;
  snapshot_published_ns_ = clock_.monotonic_ns();
}

void Engine::Worker::run() {
  if (const Status loaded = load(); !loaded) {
    const bool closing = loaded.error().code == ErrorCode::cancelled;
    if (!closing) events_.publish(events::Message{"error", loaded.error().message});
    {
      const std::lock_guard lock(engine_.mutex_);
      engine_.failure_ = loaded.error();
    }
    set_state(closing ? RunState::closed : RunState::failed);
    return;
  }
  set_state(RunState::ready);
  for (;;) {
    handle_commands();
    if (engine_.state_ == RunState::closed) return;
    const bool served = work_once();
    const bool worked = inspector_->step(requests_now()) || served;
    if (snapshot_changed_ && (!worked || clock_.monotonic_ns() - snapshot_published_ns_ > 20'000'000))
      publish_snapshot();
    if (worked) continue;
    std::unique_lock lock(engine_.mutex_);
    const double pause = std::clamp(seconds_until_next_arrival(), 0.0005, 0.05);
    clock_.wait(lock, engine_.changed_, pause, [this] {
      const Commands& waiting = engine_.commands_;
      return waiting.start || waiting.pause || waiting.step || waiting.stop || waiting.close || waiting.profile ||
             waiting.settings || engine_.inspections_.has_news();
    });
  }
}

void Engine::Worker::handle_commands() {
  Commands commands;
  SessionSettings settings;
  RunState now = RunState::ready;
  {
    const std::lock_guard lock(engine_.mutex_);
    commands = engine_.commands_;
    settings = engine_.settings_;
    const bool keep_settings = commands.settings && !running_.empty();  // settings change between requests
    settings_wait_ = keep_settings;
    engine_.commands_ = {};
    engine_.commands_.settings = keep_settings;
    commands.settings = commands.settings && !keep_settings;
    engine_.interrupt_ = false;
    now = engine_.state_;
    // Under the same lock, so that nobody sees the command taken and the state not yet changed.
    if ((commands.start || commands.step || commands.profile) && !commands.stop && !commands.close)
      engine_.state_ = RunState::running;
  }
  if (commands.close || commands.stop) {
    cancel_requests();
    drop_prefetch();
    end_profile();
    profile_everything_ = false;
    if (!run_id_.empty()) finish_run(commands.close ? "closed" : "stopped");
    if (commands.close) {
      store_->finish_writes();
      set_state(RunState::closed);
      return;
    }
    set_state(RunState::ready);
    return;
  }
  if (commands.settings) drop_prefetch();
  if (commands.settings) take_settings(settings);
  if (commands.profile) {
    profile_everything_ = true;
    curves_complete_ = false;
    unprofilable_.clear();
    set_state(RunState::running);
  }
  if (commands.start || commands.step) {
    one_step_ = commands.step;
    if (run_id_.empty()) begin_run();
    set_state(RunState::running);
  } else if (commands.pause && now == RunState::running) {
    set_state(RunState::paused);
  }
  // wait_while_busy() watches commands, too.
  engine_.changed_.notify_all();
}

// Requests come first. Where there is a free place beside those under way, what is left to do takes its turn a step at
// a time; with none under way it has a while between two requests, or until the next one arrives. One placement has its
// turn whenever a request has ended, even if others wait: a queue that never empties would else keep every cache from
// being made.
bool Engine::Worker::work_once() {
  store_->poll();
  take_failed_writes();
  const bool running = engine_.state_ == RunState::running;
  if (!running_.empty()) {
    const bool closed_loop = arrival_rate() <= 0;
    if (std::exchange(one_ended_, false) && may_place()) place(0);
    while (admit()) {
    }
    serve_step();
    if (running_.empty() || running_.size() >= batch_limit()) return true;
    const bool between_tokens = !batch_ && !anybody(RequestTask::Need::compute) && !anybody(RequestTask::Need::bytes);
    if (!closed_loop && between_tokens && may_place()) place(0);
    if (may_profile() && profile_wanted()) profile_for_a_while(0);
    return true;
  }
  if (settle_step()) return true;
  if (warming_up_ && next_in_sequence_ >= warmup_in_sequence_ && requeued_.empty() && !may_place()) end_warmup();
  if (std::exchange(one_ended_, false) && arrival_rate() > 0 && may_place()) place(0);
  if (arrival_rate() > 0 && admit()) return true;
  if (may_place()) {
    place(placement_slice_seconds);
    if (!running || arrival_rate() > 0) return true;
  }
  if (profile_wanted()) {
    profile_for_a_while(profile_slice_seconds);
    if (profile_everything_ && profile_ == nullptr && !next_unprofiled(false)) {
      profile_everything_ = false;
      if (run_id_.empty()) set_state(RunState::ready);
    }
    if (!running || run_id_.empty() || arrival_rate() > 0) return true;
  }
  return admit();
}

RequestsNow Engine::Worker::requests_now() const {
  RequestsNow now{.any = !running_.empty(), .await_bytes = anybody(RequestTask::Need::bytes)};
  for (const Running& request : running_) now.reserved_blocks += request.reserved_blocks;
  return now;
}

bool Engine::Worker::profile_wanted() {
  if (profile_everything_) return true;
  if (engine_.state_ != RunState::running || !policy_->is_planner()) return false;
  if (profile_ != nullptr) return !profile_->after_drift || may_reprofile();
  if (!curves_complete_ && next_unprofiled(true)) return true;
  curves_complete_ = true;
  return may_reprofile() && next_drifted();
}

void Engine::Worker::profile_for_a_while(double seconds) {
  if (const Status status = profile(seconds); !status && status.error().code != ErrorCode::cancelled)
    events_.publish(events::Message{"error", "profiling failed: " + status.error().message});
}

double Engine::Worker::seconds_until_next_arrival() const {
  if (engine_.state_ != RunState::running || run_id_.empty() || next_in_sequence_ >= sequence_.size()) return 0.05;
  const double due = sequence_[next_in_sequence_].arrival_seconds;
  return due - static_cast<double>(serving_clock_.monotonic_ns() - run_start_ns_) * 1e-9;
}

}  // namespace kvantage
