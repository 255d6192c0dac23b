#include "core/experiments/studies/kept_throughput.h"

#include <string>
#include <tuple>
#include <vector>

#include "core/base/json_fields.h"

namespace kvantage {

template <>
struct JsonFields<EvictionCounts> {
  static constexpr auto list = std::tuple(
      json_member("steps", &EvictionCounts::steps), json_member("tokens_evicted", &EvictionCounts::tokens_evicted),
      json_member("blocks_freed_by_eviction", &EvictionCounts::blocks_freed_by_eviction),
      json_member("blocks_freed_by_compaction", &EvictionCounts::blocks_freed_by_compaction),
      json_member("slot_copies", &EvictionCounts::slot_copies), json_member("passes", &EvictionCounts::passes),
      json_member("compaction_seconds", &EvictionCounts::compaction_seconds),
      json_member("deciding_seconds", &EvictionCounts::deciding_seconds),
      json_member("score_buffer_bytes", &EvictionCounts::score_buffer_bytes),
      json_member("peak_blocks", &EvictionCounts::peak_blocks));
};

template <>
struct JsonFields<ThroughputRun> {
  static constexpr auto list = std::tuple(
      json_member("batch", &ThroughputRun::batch), json_member("requests", &ThroughputRun::requests),
      json_member("prompt_tokens", &ThroughputRun::prompt_tokens),
      json_member("output_tokens", &ThroughputRun::output_tokens), json_member("preempted", &ThroughputRun::preempted),
      json_member("seconds", &ThroughputRun::seconds), json_member("prefill_seconds", &ThroughputRun::prefill_seconds),
      json_member("decode_seconds", &ThroughputRun::decode_seconds), json_member("steps", &ThroughputRun::steps),
      json_member("peak_blocks", &ThroughputRun::peak_blocks), json_member("block_bytes", &ThroughputRun::block_bytes),
      json_member("counts", &ThroughputRun::counts));
};

}  // namespace kvantage

namespace kvantage::inline studies {
namespace {

constexpr const char* kept_name = "kept cell";

}  // namespace

Json KeptThroughput::key_of(const ThroughputCell& cell, int block) const {
  Json eviction;
  if (cell.eviction)
    eviction = {{"text", cell.eviction->text()},
                {"budget", cell.eviction->budget.of_prompt(1)},
                {"compaction", to_string(cell.eviction->compaction)}};
  return {{"figure", arguments_.figure}, {"command", arguments_.command}, {"requests", requests_},
          {"pool", pool_tokens_},        {"eviction", eviction},          {"block", block}};
}

std::optional<ThroughputRun> KeptThroughput::take(const ThroughputCell& cell, int block) const {
  const CellStore* store = arguments_.host->cells();
  const auto kept = store == nullptr ? std::nullopt : store->find(key_of(cell, block));
  if (!kept || !kept->is_object() || !kept->contains("run") || !kept->contains("calibration")) return std::nullopt;
  ThroughputRun run;
  std::vector<double> calibration;
  if (!json_into(kept->at("run"), run, kept_name) || !json_into(kept->at("calibration"), calibration, kept_name))
    return std::nullopt;
  arguments_.host->calibration().take_over(calibration);
  return run;
}

Status KeptThroughput::keep(const ThroughputCell& cell, int block, const ThroughputRun& run) const {
  CellStore* store = arguments_.host->cells();
  if (store == nullptr) return {};
  return store->keep(key_of(cell, block), {{"run", json_from(run)},
                                           {"calibration", json_from(arguments_.host->calibration().around_cell())}});
}

}  // namespace kvantage::inline studies
