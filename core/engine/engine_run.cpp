// A run: what is put in place before its first request, and said after its last.
#include <ctime>

#include "core/base/random.h"
#include "core/engine/engine_worker.h"
#include "core/workload/arrivals.h"

namespace kvantage {
namespace {

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
  engine_.spans_.clear();  // its requests are counted anew
  drop_assumptions();
  if (config.cold_start) restore_first_curves();
  drift_.reset(catalogue_->size());
  longest_tokens_ = catalogue_->size() > 0 ? catalogue_->details(catalogue_->longest()).tokens.size() : 0;
  counted_ = {};
  curves_complete_ = false;
  forget_originals();
  sequence_.clear();
  requeued_.clear();
  waiting_since_ns_ = 0;
  hold_until_one_ends_ = false;
  for (std::uint64_t i = 0; i < config.warmup && i < config.workload.contexts.size(); ++i) {
    // A warm-up asks every context once, so that no policy is judged by first contact.
    for (std::size_t q = 0; q < config.workload.questions.size(); ++q) {
      const WorkloadQuestion& question = config.workload.questions[q];
      if (question.context != i || question.split != QuestionSplit::held_out) continue;
      sequence_.push_back({.context = i, .question = q, .arrival_seconds = 0});
      break;
    }
  }
  warmup_in_sequence_ = sequence_.size();  // contexts without a held-out question have none
  warming_up_ = warmup_in_sequence_ > 0;
  const auto requests = config.workload.requests(settings_.request_limit, config.seed);
  sequence_.insert(sequence_.end(), requests.begin(), requests.end());
  space_requests(std::span(sequence_).subspan(warmup_in_sequence_), settings_.requests_per_second, config.seed);
  next_in_sequence_ = 0;
  prefetch_looked_at_ = SIZE_MAX;
  round_ = 0;
  served_ = 0;
  inject_all_faults();
  run_start_ns_ = serving_clock_.monotonic_ns();
  Json settings{{"settings", to_json(settings_)},
                {"warmup", warmup_in_sequence_},
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
  device_before_ = device_gauges();
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
  if (const Status saved = quality_->save(scope_); !saved)
    events_.publish(events::Message{"warning", "reference answers are not kept: " + saved.error().message});
  if (const Status saved = save_frequencies(); !saved)
    events_.publish(
        events::Message{"warning", "how often contexts were asked for is not kept: " + saved.error().message});
  for (std::size_t t = 0; t < store_->tier_count(); ++t) publish_counted(t);
  publish_engine_counted();
  events_.publish(events::RunFinished{run_id_, outcome, served_});
  journal_.set_in_run(false);
  if (engine_.runs_ != nullptr)
    if (const Status finished = engine_.runs_->finish_run(run_id_, outcome); !finished)
      events_.publish(events::Message{"error", "the run's record is incomplete: " + finished.error().message});
  run_id_.clear();
  publish_snapshot();
}

std::optional<ModelDeviceGauges> Engine::Worker::device_gauges() const {
  const ModelDevice* const device = runtime_ == nullptr ? nullptr : runtime_->model->device();
  return device == nullptr ? std::nullopt : std::optional(device->gauges());
}

void Engine::Worker::publish_engine_counted() {
  counted_.model_device = device_gauges();
  if (counted_.model_device && device_before_) counted_.model_device = counted_.model_device->since(*device_before_);
  counted_.busy_seconds =
      counted_.serving_seconds + counted_.placing_seconds + counted_.profiling_seconds + counted_.reprofiling_seconds;
  events_.publish(counted_);
}

}  // namespace kvantage
