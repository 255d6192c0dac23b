#include "core/policy/partial_recompute.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/units.h"

namespace kvantage::inline policy {

const char* to_string(SplitMode mode) {
  switch (mode) {
    case SplitMode::solved:
      return "solved";
    case SplitMode::load_only:
      return "load_only";
    case SplitMode::recompute_only:
      return "recompute_only";
  }
  return "solved";
}

double RecomputeCosts::link_seconds(double l, double tokens) const {
  double seconds = weights_before_seconds + weights_beside_seconds + input_seconds * l + kv_seconds * (tokens - l);
  if (l > 0) seconds += input_fixed_seconds;
  if (l < tokens) seconds += kv_fixed_seconds;
  return seconds;
}

double RecomputeCosts::compute_seconds(double l) const {
  return l > 0 ? recompute_fixed_seconds + recompute_seconds * l : 0.0;
}

double RecomputeCosts::seconds(double l, double tokens) const {
  const double computing = compute_seconds(l);
  if (overlap == TransferOverlap::across_layers) return std::max(link_seconds(l, tokens), computing + rest_seconds);
  const double first = weights_before_seconds + (l > 0 ? input_fixed_seconds + input_seconds * l : 0.0);
  return first + std::max(computing, link_seconds(l, tokens) - first) + rest_seconds;
}

RecomputeCosts recompute_costs(RecomputeSchedule schedule, TransferOverlap overlap, const RecomputeShape& shape,
                               const TierModel& link, const RecomputeRate& rate, int batch,
                               const StreamedWeights& weights, double rest_seconds) {
  RecomputeCosts costs;
  const double latency = overlap == TransferOverlap::within_layer ? link.latency_seconds : 0.0;
  if (schedule == RecomputeSchedule::column) {
    costs.input_seconds = batch * shape.input_bytes_per_token() / link.bytes_per_second;
    costs.input_fixed_seconds = latency;
  }
  costs.kv_seconds = batch * (shape.kv_bytes_per_token() / link.bytes_per_second + link.decode_seconds_per_token);
  costs.kv_fixed_seconds = latency;
  costs.recompute_seconds = batch * rate.seconds_per_token;
  costs.recompute_fixed_seconds = rate.fixed_seconds;
  const double keys_values = weights.key_value_bytes / link.bytes_per_second,
               others = weights.other_bytes / link.bytes_per_second;
  if (weights.loading == WeightLoading::whole) costs.weights_before_seconds = keys_values + others;
  if (weights.loading == WeightLoading::keys_values_first) {
    costs.weights_before_seconds = keys_values;
    costs.weights_beside_seconds = others;
  }
  costs.rest_seconds = rest_seconds;
  costs.overlap = overlap;
  return costs;
}

namespace {

/// Where link and compute take equally long, between none and all tokens; below 0 where compute always takes longer.
double crossing(const RecomputeCosts& costs, double tokens) {
  const double loading = costs.kv_seconds * tokens + costs.kv_fixed_seconds + costs.weights_beside_seconds;
  if (costs.overlap == TransferOverlap::within_layer) {
    const double slope = costs.recompute_seconds + costs.kv_seconds;
    return slope > 0 ? (loading - costs.recompute_fixed_seconds) / slope : tokens;
  }
  const double slope = costs.recompute_seconds + costs.kv_seconds - costs.input_seconds;
  const double ahead = loading + costs.weights_before_seconds + costs.input_fixed_seconds -
                       costs.recompute_fixed_seconds - costs.rest_seconds;
  return slope > 0 ? ahead / slope : tokens;
}

}  // namespace

RecomputeSplit solve_split(const RecomputeCosts& costs, int tokens, int most, int unit) {
  RecomputeSplit split;
  most = std::clamp(most, 0, std::max(tokens, 0));
  unit = std::max(unit, 1);
  split.load_only_seconds = costs.seconds(0, tokens);
  split.recompute_only_seconds = costs.seconds(most, tokens);
  split.seconds = split.load_only_seconds;
  const double at = std::clamp(crossing(costs, tokens), 0.0, static_cast<double>(most));
  const int below = static_cast<int>(at / unit) * unit;
  // Between none and all the time is convex: its minimum is next to the crossing. None and all have fixed costs of
  // their own, so the last position before `most` is checked as well.
  const int before_max = most > 0 ? (most - 1) / unit * unit : 0;
  std::array places{below, std::min(below + unit, most), std::min(before_max, most), most};
  std::ranges::sort(places);
  for (const int l : places)
    if (const double seconds = costs.seconds(l, tokens); l > 0 && seconds < split.seconds) {
      split.recomputed_tokens = l;
      split.seconds = seconds;
    }
  return split;
}

RecomputeSplit solve_split(const RecomputeCosts& costs, int tokens, std::span<const int> ends) {
  RecomputeSplit split;
  split.load_only_seconds = costs.seconds(0, tokens);
  split.recompute_only_seconds = ends.empty() ? split.load_only_seconds : costs.seconds(ends.back(), tokens);
  split.seconds = split.load_only_seconds;
  for (const int l : ends)
    if (const double seconds = costs.seconds(l, tokens); seconds < split.seconds) {
      split.recomputed_tokens = l;
      split.seconds = seconds;
    }
  return split;
}

Status check_recompute_pays(RecomputeSchedule schedule, const RecomputeShape& shape) {
  if (schedule == RecomputeSchedule::row || shape.input_bytes_per_token() < shape.kv_bytes_per_token()) return {};
  const auto bytes = [](double count) { return format_bytes(static_cast<std::uint64_t>(count)); };
  return fail(ErrorCode::usage,
              "partial recomputation column by column: a layer's input takes " + bytes(shape.input_bytes_per_token()) +
                  " a token (hidden " + std::to_string(shape.hidden) + ") and its key and value " +
                  bytes(shape.kv_bytes_per_token()) + " (2 x " + std::to_string(shape.kv_heads) + " KV heads x " +
                  std::to_string(shape.head_dim) +
                  "), so shipping inputs cannot pay; load keys and values, or use a model with more KV heads");
}

}  // namespace kvantage::inline policy
