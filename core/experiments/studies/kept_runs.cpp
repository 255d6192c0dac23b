#include "core/experiments/studies/kept_runs.h"

#include <limits>
#include <utility>

#include "core/base/digest.h"

namespace kvantage::inline studies {
namespace {

/// JSON has no infinity: null.
double number_from(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::infinity();
}

Json json_of(const RegimeDeviation& row) {
  return {{"what", row.what},
          {"wanted", row.wanted},
          {"measured", row.measured},
          {"off", row.off_percent},
          {"holds", row.holds}};
}

std::optional<RegimeDeviation> deviation_from(const Json& json) {
  if (!json.is_object() || !json.contains("what") || !json["what"].is_string() || !json.contains("holds") ||
      !json["holds"].is_boolean())
    return std::nullopt;
  return RegimeDeviation{.what = json["what"].get<std::string>(),
                         .wanted = number_from(json.value("wanted", Json())),
                         .measured = number_from(json.value("measured", Json())),
                         .off_percent = number_from(json.value("off", Json())),
                         .holds = json["holds"].get<bool>()};
}

Json json_of(const ServedTier& tier) { return {{"name", tier.name}, {"throttled", tier.throttled}}; }

std::optional<ServedTier> tier_from(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string() || !json.contains("throttled") ||
      !json["throttled"].is_boolean())
    return std::nullopt;
  return ServedTier{.name = json["name"].get<std::string>(), .throttled = json["throttled"].get<bool>()};
}

std::string regime_name(const StudyCell& cell) {
  return cell.regime == nullptr ? std::string() : std::string(cell.regime->name);
}

/// What functions of a cell do is the figure's own; its condition or extension names it.
Json text_of(const StudyCell& cell) {
  return {{"policy", cell.policy},
          {"condition", cell.condition},
          {"extension", cell.extension},
          {"regime", regime_name(cell)},
          {"methods", cell.methods},
          {"changed", static_cast<bool>(cell.change)},
          {"midway", static_cast<bool>(cell.midway)}};
}

Json numbers_of(const StudyCell& cell) {
  return {{"alpha", cell.alpha}, {"share", cell.budget_fraction}, {"rate", cell.requests_per_second}};
}

std::optional<KeptRun> run_from(const Json& json) {
  if (!json.is_object() || !json.contains("run") || !json["run"].is_string()) return std::nullopt;
  KeptRun run{.run_id = json["run"].get<std::string>()};
  const Json calibration = json.value("calibration", Json::array()), regime = json.value("regime", Json::array()),
             tiers = json.value("tiers", Json());
  if (!calibration.is_array() || !regime.is_array() || !tiers.is_array()) return std::nullopt;
  for (const Json& seconds : calibration) {
    if (!seconds.is_number()) return std::nullopt;
    run.calibration.push_back(seconds.get<double>());
  }
  for (const Json& one : regime) {
    auto row = deviation_from(one);
    if (!row) return std::nullopt;
    run.regime.push_back(std::move(*row));
  }
  for (const Json& one : tiers) {
    auto tier = tier_from(one);
    if (!tier) return std::nullopt;
    run.tiers.push_back(std::move(*tier));
  }
  return run;
}

/// Leaves `target` where there is no number.
void take_number(const Json& json, const char* key, double& target) {
  if (const auto found = json.find(key); found != json.end() && found->is_number()) target = found->get<double>();
}

}  // namespace

Json KeptRuns::identity_of(const Engine& engine) {
  const SessionInfo info = engine.info();
  const auto snapshot = engine.snapshot();
  DigestBuilder contexts;  // a key is of the model and the tokens
  for (const ContextState& context : snapshot->contexts) contexts.add(context.key.hex());
  Json identity = {{"model", info.model_name},
                   {"device", info.device},
                   {"contexts", contexts.finish().hex()},
                   {"workload", engine.workload().digest().hex()}};
  if (engine.leaves_out_idle()) identity["idle_time"] = "left out";
  return identity;
}

// The command holds every option that was given; the others are the figure's own, and so the program's.
Json KeptRuns::key_of(const Json& what) const {
  return {{"figure", arguments_.figure},
          {"command", arguments_.command},
          {"seed", seed_},
          {"session", session_},
          {"what", what}};
}

std::optional<KeptRun> KeptRuns::find(const StudyCell& cell) const {
  const CellStore* store = arguments_.host->cells();
  if (store == nullptr) return std::nullopt;
  const auto kept = store->find(key_of({{"cell", text_of(cell)}, {"numbers", numbers_of(cell)}}));
  return kept ? run_from(*kept) : std::nullopt;
}

Status KeptRuns::keep(const StudyCell& cell, const KeptRun& run) const {
  CellStore* store = arguments_.host->cells();
  if (store == nullptr) return {};
  Json regime = Json::array(), tiers = Json::array();
  for (const RegimeDeviation& row : run.regime) regime.push_back(json_of(row));
  for (const ServedTier& tier : run.tiers) tiers.push_back(json_of(tier));
  return store->keep(key_of({{"cell", text_of(cell)}, {"numbers", numbers_of(cell)}}),
                     {{"run", run.run_id},
                      {"calibration", run.calibration},
                      {"regime", std::move(regime)},
                      {"tiers", std::move(tiers)}});
}

Status KeptRuns::settle_numbers(std::vector<StudyCell>& cells) const {
  CellStore* store = arguments_.host->cells();
  if (store == nullptr) return {};
  Json texts = Json::array(), numbers = Json::array();
  for (const StudyCell& cell : cells) {
    texts.push_back(text_of(cell));
    numbers.push_back(numbers_of(cell));
  }
  const Json key = key_of({{"cells", texts}});
  const auto kept = store->find(key);
  if (!kept || !kept->is_array() || kept->size() != cells.size()) return store->keep(key, numbers);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Json& one = (*kept)[c];
    if (!one.is_object()) return store->keep(key, numbers);
    take_number(one, "alpha", cells[c].alpha);
    take_number(one, "share", cells[c].budget_fraction);
    take_number(one, "rate", cells[c].requests_per_second);
  }
  return {};
}

Status KeptRuns::settle_throttles(const StudyCell& cell, std::vector<TierConfig>& tiers) const {
  CellStore* store = arguments_.host->cells();
  if (store == nullptr) return {};
  Json throttles = Json::array();
  for (const TierConfig& tier : tiers) {
    Json throttle{{"bandwidth", tier.throttle.bytes_per_second}, {"latency", tier.throttle.latency_seconds}};
    throttles.push_back(std::move(throttle));
  }
  const Json key = key_of({{"throttles of", regime_name(cell)}, {"share", cell.budget_fraction}});
  const auto kept = store->find(key);
  if (!kept || !kept->is_array() || kept->size() != tiers.size()) return store->keep(key, throttles);
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    const Json& one = (*kept)[t];
    if (!one.is_object()) return store->keep(key, throttles);
    take_number(one, "bandwidth", tiers[t].throttle.bytes_per_second);
    take_number(one, "latency", tiers[t].throttle.latency_seconds);
  }
  return {};
}

}  // namespace kvantage::inline studies
