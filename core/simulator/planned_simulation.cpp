#include "core/simulator/planned_simulation.h"

#include <cmath>

#include "core/base/random.h"
#include "core/policy/actions.h"
#include "core/policy/utility.h"

namespace kvantage {
namespace {

std::uint64_t blocks_of(std::uint64_t tokens) { return (tokens + trace_block_tokens - 1) / trace_block_tokens; }

/// Decoding beyond what the uncompressed line of the fastest tier says of so many bytes; never a gain.
double codec_seconds(const PlannedSetup& setup, const PresetCandidate& candidate) {
  for (const PlannedTier& tier : setup.tiers)
    for (const PresetTier& own : candidate.tiers)
      if (own.name == tier.name)
        return std::max(0.0, own.line.seconds_per_token - tier.line.seconds_per_token * candidate.kept_bytes) /
               std::max(1 - candidate.removed_fraction, 1e-6);
  return 0;
}

std::shared_ptr<const ContextProfile> profile_of(const PlannedSetup& setup, const PresetQuality& quality, std::uint64_t tokens, double factor) {
  auto profile = std::make_shared<ContextProfile>();
  const double full = static_cast<double>(tokens) * setup.preset.bytes_per_token;
  const auto point = [&](const std::string& method, double removed, double kept_bytes, double value) {
    ProfilePoint made;
    made.method = method;
    made.removed_fraction = removed;
    made.quality = made.quality_low = made.quality_high = value;
    made.n = 1;
    made.bytes = static_cast<std::uint64_t>(std::ceil(full * kept_bytes));
    made.kept_tokens = static_cast<int>(std::lround(static_cast<double>(tokens) * (1 - removed)));
    profile->points.push_back(std::move(made));
  };
  point("none", 0, 1, quality.uncompressed);
  for (std::size_t i = 0; i < setup.preset.candidates.size(); ++i) {
    if (!quality.candidates[i]) continue;
    const PresetCandidate& one = setup.preset.candidates[i];
    const double loss = (quality.uncompressed - *quality.candidates[i]) * factor;
    point(one.method, one.removed_fraction, one.kept_bytes, std::clamp(quality.uncompressed - loss, 0.0, 1.0));
  }
  return profile;
}

}  // namespace

Expected<TraceContexts> contexts_of(TraceReader& trace) {
  TraceContexts contexts;
  for (;;) {
    auto request = trace.next();
    if (!request) return tl::unexpected(request.error());
    if (!*request) return contexts;
    std::uint64_t& tokens = contexts[(*request)->context];
    tokens = std::max(tokens, (*request)->input_tokens);
    if (contexts.size() > most_planned_contexts)
      return fail(ErrorCode::usage, "policies that plan take at most " + std::to_string(most_planned_contexts) +
                                        " contexts and the trace has more; shorten it with --limit, or choose lru, lfu, s3fifo or gdsf");
  }
}

Expected<Snapshot> snapshot_of(const PlannedSetup& setup, const TraceContexts& contexts) {
  if (!setup.preset.prefill)
    return fail(ErrorCode::usage, "preset " + setup.preset.name + " has no times, and planning needs them; choose one that has");
  PresetQuality quality{"", "", 1, {}};
  quality.candidates.resize(setup.preset.candidates.size());
  if (!setup.preset.quality.empty() || !setup.dataset.empty()) {
    const auto found = setup.preset.quality_of(setup.dataset);
    if (!found) return tl::unexpected(found.error());
    quality = **found;
  }
  Snapshot snapshot;
  snapshot.alpha = setup.alpha;
  snapshot.prefill = *setup.preset.prefill;
  snapshot.question = setup.preset.question;
  for (const PlannedTier& tier : setup.tiers) {
    TierState state{.name = tier.name, .budget_bytes = tier.budget_bytes, .model = {}, .shaped = false};
    state.model.latency_seconds = tier.line.base_seconds;
    state.model.bytes_per_second = setup.preset.bytes_per_token / std::max(tier.line.seconds_per_token, 1e-15);
    snapshot.tiers.push_back(std::move(state));
  }
  for (const PresetCandidate& candidate : setup.preset.candidates)
    if (const double seconds = codec_seconds(setup, candidate);
        seconds > 0 && std::ranges::find(snapshot.codec_costs, candidate.method, &CodecCost::method) == snapshot.codec_costs.end())
      snapshot.codec_costs.push_back({candidate.method, seconds});
  for (const auto& [id, tokens] : contexts) {
    Random random(derive_seed(setup.seed, id));
    const double spread = setup.quality_spread;
    ContextState context;
    context.key = {0, id};
    context.id = std::to_string(id);
    context.family = "trace";
    context.tokens = static_cast<int>(std::min<std::uint64_t>(tokens, 1'000'000'000));
    context.full_bytes = static_cast<std::uint64_t>(std::ceil(static_cast<double>(tokens) * setup.preset.bytes_per_token));
    // The mean of the factor is 1 whatever its spread.
    context.profile = profile_of(setup, quality, tokens, spread > 0 ? std::exp(spread * random.normal() - spread * spread / 2) : 1);
    snapshot.contexts.push_back(std::move(context));
  }
  return snapshot;
}

Expected<std::unique_ptr<PlannedSimulation>> PlannedSimulation::make(const PlannedSetup& setup, const TraceContexts& contexts,
                                                                     std::shared_ptr<const Policy> policy) {
  auto snapshot = snapshot_of(setup, contexts);
  if (!snapshot) return tl::unexpected(snapshot.error());
  return std::unique_ptr<PlannedSimulation>(new PlannedSimulation(setup, std::move(*snapshot), std::move(policy)));
}

PlannedSimulation::PlannedSimulation(const PlannedSetup& setup, Snapshot snapshot, std::shared_ptr<const Policy> policy)
    : setup_(setup), shadow_(std::move(snapshot), std::move(policy)), times_(setup.servers) {
  totals_.tiers.resize(setup_.tiers.size());
}

void PlannedSimulation::request(const TraceRequest& request) {
  const auto index = find_context(shadow_.snapshot(), {0, request.context});
  if (!index) return;
  const std::uint64_t loaded_bytes = shadow_.snapshot().contexts[*index].stored_bytes;
  const SimulatedRequest served = shadow_.request(*index);
  ++totals_.requests;
  totals_.tokens += request.input_tokens;
  totals_.blocks += blocks_of(request.input_tokens);
  if (served.tier != not_stored) {
    ++totals_.hit_requests;
    totals_.hit_tokens += request.input_tokens;
    totals_.hit_blocks += blocks_of(request.input_tokens);
    SimulatorTier& tier = totals_.tiers[static_cast<std::size_t>(served.tier)];
    ++tier.hit_requests;
    tier.hit_tokens += request.input_tokens;
    tier.read_bytes += static_cast<double>(loaded_bytes);
  }
  quality_sum_ += served.quality;
  times_.serve(request.arrival_seconds, served.ttft_service_seconds, setup_.seconds_per_output_token * static_cast<double>(request.output_tokens));
}

SimulatorTotals PlannedSimulation::totals() const {
  SimulatorTotals totals = totals_;
  const SimulationTotals shadow = shadow_.totals();
  totals.distinct = shadow_.snapshot().contexts.size();
  for (std::size_t tier = 0; tier < totals.tiers.size(); ++tier) totals.tiers[tier].held = shadow.used_bytes[tier];
  totals.actions = shadow.actions;
  totals.mean_quality = totals.requests > 0 ? quality_sum_ / static_cast<double>(totals.requests) : 0;
  times_.fill(totals);
  return totals;
}

}  // namespace kvantage
