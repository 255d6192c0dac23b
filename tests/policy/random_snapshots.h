// Random worlds for policy tests, and an exhaustive search written apart from the product's planner.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/policy/compute_or_load.h"
#include "core/policy/types.h"

namespace kvantage::testing {

struct WorldShape {
  std::size_t contexts = 6, tiers = 2, methods = 2, fractions = 3;
  bool placed = false;      // some contexts start on tiers, some pinned, some without an original
  bool unprofiled = false;  // some contexts have no profile
};

inline std::string method_name(std::size_t index) {
  std::string name("m");
  return name.append(std::to_string(index));
}

inline Snapshot random_snapshot(Random& random, const WorldShape& shape) {
  Snapshot snapshot;
  snapshot.alpha = std::pow(10.0, -2 + 4 * random.uniform());
  snapshot.prefill = {0.01, 1e-3 * random.uniform(), 1e-7 * random.uniform()};
  snapshot.question = {0.001, 1e-6 * random.uniform()};
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shape.contexts; ++i) {
    ContextState context;
    context.key = {i, random.next()};
    context.id = std::string("c").append(std::to_string(i));
    context.tokens = static_cast<int>(100 + random.below(2000));
    context.full_bytes = static_cast<std::uint64_t>(context.tokens) * 1000 + 5000;
    context.frequency = random.below(10) == 0 ? 0 : 20 * random.uniform() * random.uniform();
    context.last_access = random.below(50);
    context.archived = true;
    total += context.full_bytes;
    if (!shape.unprofiled || random.below(4) != 0) {
      auto profile = std::make_shared<ContextProfile>();
      const double whole = 0.5 + 0.5 * random.uniform();
      profile->points.push_back({"none", 0, whole, whole, whole, 8, context.full_bytes, context.tokens});
      for (std::size_t m = 0; m < shape.methods; ++m)
        for (std::size_t f = 1; f <= shape.fractions; ++f) {
          const double removed = static_cast<double>(f) / static_cast<double>(shape.fractions + 1);
          const double quality = whole * (1 - std::pow(removed, 0.5 + 3 * random.uniform()) * random.uniform());
          const auto kept = static_cast<int>(context.tokens * (1 - removed));
          profile->points.push_back({method_name(m), removed, quality, quality, quality, 8,
                                     static_cast<std::uint64_t>(kept) * 1000 + 5000 + random.below(500), kept});
        }
      context.profile = profile;
    }
    snapshot.contexts.push_back(std::move(context));
  }
  double speed = 5e9;
  for (std::size_t t = 0; t < shape.tiers; ++t) {
    TierState tier;
    tier.name = std::string("t").append(std::to_string(t));
    tier.model = {1e-4 * random.uniform() * static_cast<double>(t), speed, 1e-8 * random.uniform(), 0};
    speed /= 2 + 20 * random.uniform();
    switch (random.below(8)) {
      case 0:
        tier.budget_bytes = 0;
        break;
      case 1:
        tier.budget_bytes = random.below(3000);
        break;
      case 2:
        tier.budget_bytes = std::numeric_limits<std::uint64_t>::max();
        break;
      default:
        tier.budget_bytes = static_cast<std::uint64_t>(static_cast<double>(total) * 0.8 * random.uniform());
    }
    snapshot.tiers.push_back(tier);
  }
  if (shape.placed)
    for (ContextState& context : snapshot.contexts) {
      if (random.below(2) == 0 || snapshot.tiers.empty()) continue;
      const auto tier = random.below(snapshot.tiers.size());
      Configuration placement{static_cast<int>(tier), "none", 0};
      std::uint64_t bytes = context.full_bytes;
      if (context.profile) {
        const ProfilePoint& point = context.profile->points[random.below(context.profile->points.size())];
        placement.method = point.method;
        placement.removed_fraction = point.removed_fraction;
        bytes = point.bytes;
      }
      std::uint64_t used = 0;
      for (const ContextState& other : snapshot.contexts)
        if (other.placement.tier == placement.tier) used += other.stored_bytes;
      // Now and then a tier starts too full, as after a budget was lowered.
      if (random.below(20) != 0 && used + bytes > snapshot.tiers[tier].budget_bytes) continue;
      context.placement = placement;
      context.stored_bytes = bytes;
      context.pinned = random.below(10) == 0;
      context.archived = random.below(10) != 0;
    }
  return snapshot;
}

/// Entries may hold layer inputs: half the bytes at the quality of the whole, for more decoding. Fronts of others are
/// computed while their backs load.
inline void store_inputs_and_serve_hybrid(Snapshot& snapshot) {
  for (ContextState& context : snapshot.contexts) {
    if (!context.profile) continue;
    auto profile = std::make_shared<ContextProfile>(*context.profile);
    ProfilePoint inputs = profile->points.front();
    inputs.method = "layer_inputs";
    inputs.bytes = inputs.bytes / 2 + 300;
    profile->points.push_back(inputs);
    context.profile = profile;
  }
  snapshot.codec_costs.push_back({.method = "layer_inputs", .seconds_per_token = 1e-6});
  snapshot.hybrid = HybridServing{.methods = {"none", "m0"}, .piece_tokens = 128, .layers = 4};
}

/// Total utility as the paper writes it, computed from the models alone, with the forms of the function above.
inline double utility_of(const Snapshot& snapshot, const ContextState& context, const ProfilePoint* point, int tier) {
  const ProfilePoint& whole = context.profile->points.front();
  double quality = whole.quality, seconds = 0;
  if (tier == not_stored) {
    const double n = context.tokens;
    seconds = snapshot.prefill.base_seconds + snapshot.prefill.seconds_per_token * n +
              snapshot.prefill.seconds_per_token_squared * n * n + snapshot.question.base_seconds +
              snapshot.question.seconds_per_kept_token * n;
  } else {
    const TierModel& model = snapshot.tiers[static_cast<std::size_t>(tier)].model;
    quality = point->quality;
    const double question =
        snapshot.question.base_seconds + snapshot.question.seconds_per_kept_token * point->kept_tokens;
    seconds = model.latency_seconds + static_cast<double>(point->bytes) / model.bytes_per_second +
              model.decode_seconds_per_token * point->kept_tokens + question;
    for (const CodecCost& codec : snapshot.codec_costs)
      if (codec.method == point->method) seconds += codec.seconds_per_token * point->kept_tokens;
    // How long loads take beside computing has a test of its own.
    if (snapshot.hybrid && std::ranges::count(snapshot.hybrid->methods, point->method) > 0)
      seconds = hybrid_prefill_seconds(model, snapshot.prefill, *snapshot.hybrid, context.tokens,
                                       static_cast<double>(point->bytes), point->kept_tokens, question)
                    .value_or(seconds);
  }
  return (snapshot.alpha * quality - seconds) * context.frequency;
}

/// The best total utility of all assignments that keep every budget; all contexts profiled, archived, not pinned.
inline double exhaustive_best(const Snapshot& snapshot) {
  std::vector<std::uint64_t> used(snapshot.tiers.size(), 0);
  double best = -std::numeric_limits<double>::infinity();
  const std::function<void(std::size_t, double)> visit = [&](std::size_t index, double total) {
    if (index == snapshot.contexts.size()) {
      best = std::max(best, total);
      return;
    }
    const ContextState& context = snapshot.contexts[index];
    visit(index + 1, total + utility_of(snapshot, context, nullptr, not_stored));
    for (std::size_t t = 0; t < used.size(); ++t)
      for (const ProfilePoint& point : context.profile->points) {
        if (used[t] + point.bytes > snapshot.tiers[t].budget_bytes) continue;
        used[t] += point.bytes;
        visit(index + 1, total + utility_of(snapshot, context, &point, static_cast<int>(t)));
        used[t] -= point.bytes;
      }
  };
  visit(0, 0);
  return best;
}

/// Bytes on each tier of what a plan stores.
inline std::vector<std::uint64_t> used_by(const Plan& plan, const Snapshot& snapshot) {
  std::vector<std::uint64_t> used(snapshot.tiers.size(), 0);
  for (const PlannedContext& planned : plan.contexts)
    if (planned.configuration.stored()) used.at(static_cast<std::size_t>(planned.configuration.tier)) += planned.bytes;
  return used;
}

inline bool keeps_budgets(const Plan& plan, const Snapshot& snapshot) {
  const std::vector<std::uint64_t> used = used_by(plan, snapshot);
  for (std::size_t t = 0; t < used.size(); ++t)
    if (used[t] > snapshot.tiers[t].budget_bytes) return false;
  return used == plan.used_bytes;
}

inline double prefill_everything(const Snapshot& snapshot) {
  double total = 0;
  for (const ContextState& context : snapshot.contexts) total += utility_of(snapshot, context, nullptr, not_stored);
  return total;
}

}  // namespace kvantage::testing
