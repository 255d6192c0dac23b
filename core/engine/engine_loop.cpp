#include <algorithm>
#include <chrono>
#include <ctime>

#include "core/base/random.h"
#include "core/engine/engine_worker.h"
#include "core/workload/arrivals.h"

namespace kvantage {
namespace {

constexpr double placement_slice_seconds = 0.05;  // most work between two requests
constexpr double profile_slice_seconds = 0.1;

// "20261121T093000Z-1a2b": sorts by time, unique enough for one store of runs.
std::string new_run_id(std::int64_t utc_ns) {
  const auto seconds = static_cast<std::time_t>(utc_ns / 1'000'000'000);
  std::tm time{};
  ::gmtime_r(&seconds, &time);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &time);
  const std::uint64_t tail = Random(static_cast<std::uint64_t>(utc_ns)).next();
  return std::string(text) + "-" + Digest128{0, tail}.hex().substr(24);
}

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
  const std::lock_guard lock(engine_.mutex_);
  engine_.snapshot_ = std::move(copy);
  engine_.tier_reports_ = std::move(reports);
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
    const bool worked = work_once();
    if (snapshot_changed_ && (!worked || clock_.monotonic_ns() - snapshot_published_ns_ > 20'000'000)) publish_snapshot();
    if (worked) continue;
    std::unique_lock lock(engine_.mutex_);
    const Commands& waiting = engine_.commands_;
    const bool command = waiting.start || waiting.pause || waiting.step || waiting.stop || waiting.close ||
                         waiting.profile || waiting.settings;
    const double pause = std::clamp(seconds_until_next_arrival(), 0.0005, 0.05);
    if (!command) engine_.changed_.wait_for(lock, std::chrono::duration<double>(pause));
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
    const bool keep_settings = commands.settings && request_ != nullptr;  // settings change between requests
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
    if (request_ != nullptr) cancel_request();
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

bool Engine::Worker::work_once() {
  store_->poll();
  take_failed_writes();
  if (request_ != nullptr) {  // also when paused: a request under way is finished
    const Status status = request_->step();
    if (!status) {
      events_.publish(events::Message{"error", "request failed: " + status.error().message});
      cancel_request();
    } else if (request_->done()) {
      finish_request();
    } else {
      prefetch_next();
    }
    return true;
  }
  if (settle_step()) return true;
  const bool running = engine_.state_ == RunState::running;
  if (running && !run_id_.empty() && settings_.requests_per_second > 0 && next_request_is_due()) {
    begin_request();
    return true;
  }
  if (!pending_.empty()) {
    place(placement_slice_seconds);
    if (!running || settings_.requests_per_second > 0) return true;
  }
  const bool curves_wanted = running && policy_->plans();
  if (profile_everything_ || (curves_wanted && (profile_ != nullptr || next_unprofiled(true)))) {
    if (const Status status = profile(profile_slice_seconds); !status && status.error().code != ErrorCode::cancelled)
      events_.publish(events::Message{"error", "profiling failed: " + status.error().message});
    if (profile_everything_ && profile_ == nullptr && !next_unprofiled(false)) {
      profile_everything_ = false;
      if (run_id_.empty()) set_state(RunState::ready);
    }
    if (!running || run_id_.empty() || settings_.requests_per_second > 0) return true;
  }
  if (running && !run_id_.empty() && next_request_is_due()) {
    begin_request();
    return true;
  }
  return false;
}

void Engine::Worker::begin_run() {
  run_id_ = new_run_id(clock_.utc_ns());
  const EngineConfig& config = engine_.config_;
  inject_all_faults(false);  // each run draws its faults from the seed on, and none while its tiers are emptied
  if (config.cold_start) {
    pending_.clear();
    store_->clear();
    for (std::size_t c = 0; c < catalogue_->size(); ++c) {
      catalogue_->state(c).frequency = 0;
      catalogue_->state(c).last_access = 0;
    }
    request_counter_ = 0;
    catalogue_->policy_state().memory = nullptr;  // of stores that are empty now
  }
  forget_originals();
  sequence_.clear();
  for (std::uint64_t i = 0; i < config.warmup && i < config.workload.contexts.size(); ++i) {
    // A warm-up asks every context once, so that no policy is judged by first contact.
    for (std::size_t q = 0; q < config.workload.questions.size(); ++q) {
      const WorkloadQuestion& question = config.workload.questions[q];
      if (question.context != i || question.split != QuestionSplit::held_out) continue;
      sequence_.push_back({.context = i, .question = q, .arrival_seconds = 0});
      break;
    }
  }
  const std::uint64_t warmup = sequence_.size();  // contexts without a held-out question have none
  const auto requests = config.workload.requests(settings_.request_limit, config.seed);
  sequence_.insert(sequence_.end(), requests.begin(), requests.end());
  space_requests(sequence_, settings_.requests_per_second, config.seed);
  next_in_sequence_ = 0;
  prefetch_looked_at_ = SIZE_MAX;
  round_ = 0;
  served_ = 0;
  inject_all_faults();
  run_start_ns_ = clock_.monotonic_ns();
  Json settings{{"settings", to_json(settings_)},
                {"warmup", warmup},
                {"cold_start", config.cold_start},
                {"device", runtime_->model->path_description()},
                {"prefill_chunk_tokens", runtime_->chunk_tokens()},
                {"kv_bytes_per_token", runtime_->model->kv_shape().bytes_per_token()}};
  if (config.endless) settings["endless"] = true;
  if (config.frozen) settings["frozen"] = true;
  settings.update(config.run_facts);
  settings["environment"]["model"] = runtime_->name;
  settings["environment"]["model_digest"] = runtime_->digest().hex();
  settings["environment"]["workload"] = config.workload.name;
  settings["environment"]["workload_digest"] = config.workload.digest().hex();
  settings["environment"]["threads"] = compute_threads();
  settings["environment"]["seed"] = config.seed;
  settings["environment"]["run_id"] = run_id_;
  if (engine_.runs_ != nullptr) {
    if (const Status begun = engine_.runs_->begin_run(run_id_, settings); !begun)
      events_.publish(events::Message{"error", "run is not recorded: " + begun.error().message});
  }
  {
    const std::lock_guard lock(engine_.mutex_);
    engine_.info_.run_id = run_id_;
  }
  events_.restart_sequence();
  journal_.set_in_run(true);
  events_.publish(events::RunStarted{run_id_, std::move(settings)});
  counted_before_.clear();
  for (std::size_t t = 0; t < store_->tier_count(); ++t) {
    const TierState& tier = catalogue_->snapshot().tiers[t];
    events_.publish(events::TierFitted{tier.name, tier.model, store_->fit(t).samples(), tier.shaped});
    store_->publish_occupancy(static_cast<int>(t));
    counted_before_.push_back(store_->tier(t).statistics());
  }
  publish_taken("start");
  tell_policy({.kind = PolicyEvent::Kind::settings_changed, .context = {}});
}

void Engine::Worker::finish_run(const std::string& outcome) {
  if (outcome != "finished") store_->give_up_placing();
  store_->finish_writes();
  take_failed_writes();
  if (const Status saved = save_references(); !saved)
    events_.publish(events::Message{"warning", "reference answers are not kept: " + saved.error().message});
  if (const Status saved = save_frequencies(); !saved)
    events_.publish(events::Message{"warning", "how often contexts were asked for is not kept: " + saved.error().message});
  for (std::size_t t = 0; t < store_->tier_count(); ++t) publish_counted(t);
  events_.publish(events::RunFinished{run_id_, outcome, served_});
  journal_.set_in_run(false);
  if (engine_.runs_ != nullptr)
    if (const Status finished = engine_.runs_->finish_run(run_id_, outcome); !finished)
      events_.publish(events::Message{"error", "the run's record is incomplete: " + finished.error().message});
  run_id_.clear();
  publish_snapshot();
}

double Engine::Worker::seconds_until_next_arrival() const {
  if (engine_.state_ != RunState::running || run_id_.empty() || next_in_sequence_ >= sequence_.size()) return 0.05;
  const double due = sequence_[next_in_sequence_].arrival_seconds;
  return due - static_cast<double>(clock_.monotonic_ns() - run_start_ns_) * 1e-9;
}

}  // namespace kvantage
