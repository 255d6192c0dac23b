#include "core/cost/frozen_costs.h"

#include "core/base/digest.h"
#include "core/ports/recorded_snapshot.h"

namespace kvantage::inline cost {
namespace {

std::string key_of(const Digest128& model, const Digest128& workload, const CostScope& scope) {
  Json facts = Json::array();
  for (const TierConfig& tier : scope.tiers) {
    facts.push_back({tier.name, tier.throttle.bytes_per_second, tier.throttle.latency_seconds, tier.option("url")});
    if (tier.throttle.is_relative()) facts.push_back(load_per_prefill_text(tier.throttle.load_per_prefill));
  }
  facts.push_back(scope.methods);
  return "frozen_costs/" + model.hex() + "/" + workload.hex() + "/" + digest_of(dump_json(facts)).hex();
}

Expected<std::optional<events::SnapshotTaken>> stored_costs(ProfileStore& profiles, const std::string& key) {
  KV_ASSIGN(const auto stored, profiles.load_value(key));
  if (!stored.has_value()) return std::nullopt;
  const auto event = event_from_json(*stored);
  if (!event || !std::holds_alternative<events::SnapshotTaken>(event->payload)) return std::nullopt;
  return std::get<events::SnapshotTaken>(event->payload);
}

}  // namespace

Status freeze_costs(const EngineServices& services, CostModel& costs, const CostScope& scope, const Digest128& workload,
                    ProfileStore* profiles, std::optional<events::SnapshotTaken> given) {
  Snapshot& snapshot = services.catalog.snapshot();
  const std::string key = key_of(services.runtime.digest(), workload, scope);
  if (!given && profiles != nullptr) {
    KV_ASSIGN(given, stored_costs(*profiles, key));
  }
  if (!given) {
    given = recorded_snapshot(snapshot, "frozen");
    given->contexts.clear();
    if (profiles != nullptr) KV_TRY(profiles->save_value(key, to_json(Event{.payload = *given})));
  }
  if (given->tiers.size() != snapshot.tiers.size())
    return fail(ErrorCode::usage, "frozen costs: have " + std::to_string(given->tiers.size()) +
                                      " tiers, but the session has " + std::to_string(snapshot.tiers.size()) +
                                      "; give as many tiers as the recorded run had");
  use_costs(snapshot, recorded_costs(snapshot_of(*given)));
  snapshot.codec_costs = given->codec_costs;
  snapshot.prefill_at_rest.reset();  // a time of this machine, which must not enter decisions
  costs.freeze();
  return {};
}

}  // namespace kvantage::inline cost
