#include "core/request/compute_or_load_choice.h"

#include <algorithm>

#include "core/compress/method.h"

namespace kvantage::inline requests {

std::shared_ptr<const ComputeOrLoadChoice> choose_compute_or_load(const CacheHit& hit,
                                                                  std::span<const std::int32_t> context_tokens,
                                                                  const ComputeOrLoadFits& fits) {
  if (hit.header == nullptr || hit.place.bytes_in_flight != nullptr || hit.prefix_tokens != context_tokens.size() ||
      hit.place.tier == nullptr || !hit.place.tier->reachable())
    return nullptr;
  const EntryHeader& header = *hit.header;
  if (!std::ranges::equal(header.token_ids, context_tokens)) return nullptr;
  const auto method = parse_stored_method(hit.method);
  if (!method || (*method)->info().rerotates) return nullptr;
  const auto pieces = context_pieces(header);
  if (!pieces) return nullptr;

  const double heads = header.shape.layers * header.shape.kv_heads;
  ComputeOrLoadChoice choice{
      .stored = {.tier = hit.place.tier, .header = hit.header},
      .options = {.tier = fits.tier, .prefill = fits.prefill, .intake_seconds_per_byte = fits.intake_seconds_per_byte}};
  choice.options.after_seconds = fits.question.seconds(static_cast<double>(header.kept_rows) / heads);
  ComputeOrLoadCosts costs = compute_or_load_costs(fits.tier, fits.prefill, *pieces, choice.options.after_seconds,
                                                   fits.intake_seconds_per_byte);
  for (double& unpack : costs.unpack) unpack += fits.codec_seconds / costs.pieces();
  const bool whole = header.holds_layer_inputs();
  const ServingWays ways{.hybrid = fits.ways.hybrid && !whole, .prefill = fits.ways.prefill};
  const ComputeOrLoadPlan plan = plan_compute_or_load(costs, *pieces, ways);
  if (!ways.hybrid) choice.options.computed_pieces = costs.pieces();
  choice.predicted_seconds = plan.seconds;
  choice.reads_nothing = plan.way == ComputeOrLoad::compute_only;
  choice.load_alone_seconds = load_alone_seconds(costs, header.shape.layers);
  if (!beats_loading(plan, choice.load_alone_seconds)) return nullptr;
  if (static_cast<double>(header.kept_rows) < heads * static_cast<double>(header.token_ids.size())) {
    if (hit.kept_map == nullptr) return nullptr;
    auto kept = KeptMap::parse(*hit.kept_map, header);
    if (!kept) return nullptr;
    choice.stored.kept = std::move(*kept);
  }
  return std::make_shared<const ComputeOrLoadChoice>(std::move(choice));
}

bool UnreadTier::is_due(const ComputeOrLoadChoice& choice) {
  if (was_fast_ ||
      (computed_ >= min_between && choice.load_alone_seconds - choice.predicted_seconds <= max_lost * seconds_)) {
    *this = {};
    to_beat_ = choice.predicted_seconds;
    return true;
  }
  ++computed_;
  seconds_ += choice.predicted_seconds;
  return false;
}

void UnreadTier::was_read(double seconds_to_first_token) {
  const bool fast = seconds_to_first_token <= to_beat_;
  *this = {};
  was_fast_ = fast;
}

}  // namespace kvantage::inline requests
