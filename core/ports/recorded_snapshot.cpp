#include "core/ports/recorded_snapshot.h"

#include <algorithm>
#include <utility>

namespace kvantage::inline ports {

namespace {
RecordedContext recorded_context(const ContextState& state) {
  RecordedContext context{.key = state.key,
                          .id = state.id,
                          .family = state.family,
                          .tokens = state.tokens,
                          .full_bytes = state.full_bytes,
                          .stored_bytes = state.stored_bytes,
                          .frequency = state.frequency,
                          .last_access = state.last_access,
                          .placement = state.placement,
                          .archived = state.archived,
                          .profile = state.profile != nullptr ? *state.profile : ContextProfile{}};
  if (state.windowed_bytes > 0) context.windowed_bytes = state.windowed_bytes;
  return context;
}
}  // namespace

events::SnapshotTaken recorded_snapshot(const Snapshot& snapshot, std::string reason) {
  events::SnapshotTaken taken{
      std::move(reason), snapshot.alpha, snapshot.tiers, snapshot.prefill, snapshot.question, snapshot.codec_costs, {},
      snapshot.hybrid};
  if (snapshot.candidates.quality_bound != QualityBound::mean) taken.quality_bound = snapshot.candidates.quality_bound;
  taken.contexts.reserve(snapshot.contexts.size());
  for (const ContextState& state : snapshot.contexts) taken.contexts.push_back(recorded_context(state));
  return taken;
}

Snapshot snapshot_of(const events::SnapshotTaken& taken) {
  Snapshot snapshot;
  snapshot.alpha = taken.alpha;
  snapshot.tiers = taken.tiers;
  snapshot.prefill = taken.prefill;
  snapshot.question = taken.question;
  snapshot.codec_costs = taken.codec_costs;
  snapshot.hybrid = taken.hybrid;
  snapshot.candidates.quality_bound = taken.quality_bound.value_or(QualityBound::mean);
  for (const RecordedContext& context : taken.contexts) {
    ContextState state{{.key = context.key,
                        .id = context.id,
                        .family = context.family,
                        .tokens = context.tokens,
                        .full_bytes = context.full_bytes,
                        .windowed_bytes = context.windowed_bytes.value_or(0)},
                       {.placement = context.placement,
                        .stored_bytes = context.stored_bytes,
                        .pinned = false,
                        .archived = context.archived},
                       {.frequency = context.frequency, .last_access = context.last_access},
                       nullptr};
    if (!context.profile.empty()) state.profile = std::make_shared<const ContextProfile>(context.profile);
    snapshot.contexts.push_back(std::move(state));
  }
  return snapshot;
}

events::CostsFitted recorded_costs(const Snapshot& snapshot) {
  events::CostsFitted costs{{}, snapshot.prefill, snapshot.question};
  for (const TierState& tier : snapshot.tiers) costs.tiers.push_back(tier.model);
  return costs;
}

void use_costs(Snapshot& snapshot, const events::CostsFitted& costs) {
  for (std::size_t t = 0; t < std::min(snapshot.tiers.size(), costs.tiers.size()); ++t)
    snapshot.tiers[t].model = costs.tiers[t];
  snapshot.prefill = costs.prefill;
  snapshot.question = costs.question;
}

bool same_costs(const events::CostsFitted& a, const events::CostsFitted& b) {
  const auto numbers = [](const events::CostsFitted& costs) {
    std::vector<double> all{costs.prefill.base_seconds, costs.prefill.seconds_per_token,
                            costs.prefill.seconds_per_token_squared, costs.question.base_seconds,
                            costs.question.seconds_per_kept_token};
    for (const TierModel& tier : costs.tiers)
      all.insert(all.end(),
                 {tier.latency_seconds, tier.bytes_per_second, tier.decode_seconds_per_token, tier.residual_seconds});
    return all;
  };
  return numbers(a) == numbers(b) && a.question.following_layers == b.question.following_layers;
}

}  // namespace kvantage::inline ports
