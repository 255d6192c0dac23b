// The policies that the registry knows, each in its own file. Parameters have been checked when these are called.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/policy/adaptcache.h"
#include "core/eviction/eviction_orders.h"
#include "core/policy/least_drop_solver.h"
#include "core/policy/policy.h"

namespace kvantage {

/// Stores nothing: every request prefills its context. The baseline "Prefill" of EvicPress section 6.1.
std::shared_ptr<const Policy> make_full_prefill();

/// Every context in one form, placed by an order of eviction: "eviction only" with ("none", 0), "METHOD compression +
/// LRU" otherwise (EvicPress section 6.1).
std::shared_ptr<const Policy> make_eviction_policy(std::string name, std::string method, double removed_fraction,
                                                   const EvictionOrderInfo& order);

/// What "fixed(METHOD,REMOVED_FRACTION,eviction=ORDER)" says; nothing of other texts.
struct FixedText {
  std::string method;
  double removed_fraction = 0;
  std::string eviction = "lru";
};
std::optional<FixedText> read_fixed(std::string_view text);

struct EvicPressOptions {
  PlanRules rules;
  /// Besides every new context, profile or setting, plan again at every so many requests: popularity drifts.
  std::uint64_t replan_requests = 16;
};
/// EvicPress: the least-drop greedy over all configurations of all contexts.
std::shared_ptr<const Policy> make_evicpress(const EvicPressOptions& options);

/// AdaptCache: compresses further or moves away what costs the least utility per byte of the fast tier.
std::shared_ptr<const Policy> make_adaptcache(const AdaptCacheOptions& options);

/// IMPRESS as a baseline of EvicPress section 6.1: the important part of every context, cached by importance and
/// frequency.
std::shared_ptr<const Policy> make_impress(std::string name, std::string method, double kept_fraction);

/// The optimum of the model, for small problems; see exact_search.h for what small means.
std::shared_ptr<const Policy> make_optimal(std::uint64_t replan_requests);

}  // namespace kvantage
