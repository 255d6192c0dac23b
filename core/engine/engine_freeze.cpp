// What makes two runs decide alike, and what tells a recorded run's reader what its decisions rested on. In a frozen
// run no time that was measured reaches a decision: costs stay what they were at its start, and whatever a request
// leads to is carried out before the next one begins.
#include "core/engine/engine_worker.h"
#include "core/ports/recorded_snapshot.h"

namespace kvantage {
namespace {

constexpr double without_limit = 1e18;  // seconds

}  // namespace

// Of the run that is repeated, else of the first frozen session under these settings, kept in the database.
Status Engine::Worker::freeze_costs() {
  const EngineConfig& config = engine_.config_;
  if (!config.frozen) return {};
  Snapshot& snapshot = catalogue_->snapshot();
  Json settings = Json::array();
  for (const TierConfig& tier : settings_.tiers)
    settings.push_back({tier.name, tier.throttle.bytes_per_second, tier.throttle.latency_seconds, tier.option("url")});
  settings.push_back(settings_.methods);
  const std::string key = "frozen_costs/" + runtime_->digest().hex() + "/" + config.workload.digest().hex() + "/" +
                          digest_of(settings.dump()).hex();
  std::optional<events::SnapshotTaken> costs = config.frozen_costs;
  if (!costs && engine_.profiles_ != nullptr) {
    const auto stored = engine_.profiles_->load_value(key);
    if (!stored) return tl::unexpected(stored.error());
    if (stored->has_value()) {
      const auto event = event_from_json(**stored);
      if (event && std::holds_alternative<events::SnapshotTaken>(event->payload))
        costs = std::get<events::SnapshotTaken>(event->payload);
    }
  }
  if (!costs) {
    costs = recorded_snapshot(snapshot, "frozen");
    costs->contexts.clear();
    if (engine_.profiles_ != nullptr) KV_TRY(engine_.profiles_->save_value(key, to_json(Event{.payload = *costs})));
  }
  if (costs->tiers.size() != snapshot.tiers.size())
    return fail(ErrorCode::usage, "frozen costs: are of " + std::to_string(costs->tiers.size()) +
                                      " tiers, and there are " + std::to_string(snapshot.tiers.size()) +
                                      "; give as many tiers as the recorded run had");
  use_costs(snapshot, recorded_costs(snapshot_of(*costs)));
  snapshot.codec_costs = costs->codec_costs;
  costs_->freeze();
  return {};
}

// How much of the archive there is from runs before decides what can be placed at once: a frozen run goes without.
void Engine::Worker::forget_originals() {
  if (!engine_.config_.frozen || !engine_.config_.cold_start) return;
  for (std::size_t c = 0; c < catalogue_->size(); ++c) catalogue_->state(c).archived = false;
}

// Between two requests of a frozen run: true while there is something left to do first.
bool Engine::Worker::settle_step() {
  if (!engine_.config_.frozen || run_id_.empty() || engine_.state_ != RunState::running) return false;
  if (!pending_.empty()) {
    place(without_limit);
    return true;
  }
  if (!policy_->is_planner() || (profile_ == nullptr && !next_unprofiled(true) && !next_drifted())) return false;
  if (const Status status = profile(without_limit); !status && status.error().code != ErrorCode::cancelled)
    events_.publish(events::Message{"error", "profiling failed: " + status.error().message});
  return true;
}

void Engine::Worker::publish_taken(const std::string& reason) {
  if (run_id_.empty()) return;
  events_.publish(recorded_snapshot(catalogue_->snapshot(), reason));
  published_costs_ = recorded_costs(catalogue_->snapshot());
}

void Engine::Worker::publish_costs() {
  if (run_id_.empty()) return;
  events::CostsFitted costs = recorded_costs(catalogue_->snapshot());
  if (published_costs_ && same_costs(*published_costs_, costs)) return;
  published_costs_ = costs;
  events_.publish(std::move(costs));
}

}  // namespace kvantage
