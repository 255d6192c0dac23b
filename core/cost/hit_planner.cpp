#include "core/cost/hit_planner.h"

#include <algorithm>
#include <numeric>

#include "core/compress/method.h"
#include "core/policy/utility.h"

namespace kvantage::inline cost {

// Only the CPU computes a front. Layers with a sliding window store its last tokens alone, from which a piece in the
// middle of a context cannot be computed again.
bool HitPlanner::can_compute() const {
  const Transformer& model = *services_.runtime.model;
  return ways_.any() && !frozen_ && model.device() == nullptr && !model.config().has_windows();
}

void HitPlanner::use(const std::string& compute_or_load, const std::vector<std::string>& methods) {
  ways_ = serving_ways(compute_or_load).value_or(ServingWays{false, false});
  methods_ = {"none"};
  for (const std::string& text : methods) {
    const auto method = parse_method(text);
    if (std::ranges::find(methods_, text) != methods_.end()) continue;
    if (method && (*method)->codec() == nullptr && !(*method)->info().rerotates) methods_.push_back(text);
  }
  describe_serving();
}

void HitPlanner::describe_serving() {
  auto& hybrid = services_.catalog.snapshot().hybrid;
  hybrid.reset();
  if (!can_compute() || !ways_.hybrid) return;
  hybrid = HybridServing{.methods = methods_,
                         .piece_tokens = std::lcm(extent_chunk_positions, services_.runtime.chunk_tokens()),
                         .layers = services_.runtime.model->config().layers,
                         .intake_seconds_per_byte = intake_.intake_seconds_per_byte(),
                         .computes_all = ways_.prefill};
}

void HitPlanner::choose(CacheHit& hit, std::size_t context) {
  if (!can_compute()) return;
  Catalog& catalog = services_.catalog;
  const Snapshot& snapshot = catalog.snapshot();
  const Configuration& placement = catalog.residency(hit.context).placement;
  if (!placement.stored()) return;
  const std::vector<std::int32_t>& tokens = catalog.details(context).tokens;
  hit.choice = choose_compute_or_load(
      hit, tokens,
      {.tier = snapshot.tiers[static_cast<std::size_t>(placement.tier)].model,
       .prefill = snapshot.prefill,
       .question = snapshot.question,
       .intake_seconds_per_byte = intake_.intake_seconds_per_byte(),
       .codec_seconds = codec_seconds(snapshot, placement.tier, placement.method, placement.removed_fraction,
                                      static_cast<double>(tokens.size())),
       .ways = ways_});
  if (hit.choice != nullptr && hit.choice->reads_nothing && unread_tiers_[placement.tier].is_due(*hit.choice))
    hit.choice = nullptr;
}

void HitPlanner::learn(RequestTask& task, std::size_t entry, const Configuration& served_from) {
  if (task.load_sample() && served_from.stored())
    unread_tiers_[served_from.tier].was_read(task.record().timing.ttft_service_seconds);
  if (!task.hit()) return;
  ContextDetails& details = services_.catalog.details(entry);
  if (details.header == nullptr) details.header = task.hit()->header;
  learn_kept_map(task, entry);
}

// Entries recovered at startup have no map of kept tokens; a complete load gives it.
void HitPlanner::learn_kept_map(RequestTask& task, std::size_t entry) {
  ContextDetails& details = services_.catalog.details(entry);
  if (details.kept_map != nullptr || details.header == nullptr || details.header != task.hit()->header ||
      task.hit()->choice != nullptr || task.evicted_unseen_rows())
    return;
  if (task.record().context_tokens != static_cast<int>(details.header->token_ids.size())) return;
  const KvCache context = task.share_context();
  if (context.kept_rows() != details.header->kept_rows) return;  // the method changes rows after reading
  details.kept_map = EntryMaker::kept_map_of(context, *details.header);
}

}  // namespace kvantage::inline cost
