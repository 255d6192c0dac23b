// The factories of all policies, declared from the rows of policies.inl; each is defined in its policy's file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/eviction/eviction_orders.h"
#include "core/policy/policy_info.h"

namespace kvantage::inline policy {

#define KVANTAGE_POLICY(name, ...) MadePolicy make_##name##_policy(const FormArguments& arguments);
#define KVANTAGE_POLICIES_OF_ORDERS
#include "core/policy/policies.inl"
#undef KVANTAGE_POLICIES_OF_ORDERS
#undef KVANTAGE_POLICY

/// Every context in one form, placed by an eviction order: "eviction only" with ("none", 0), "METHOD compression + LRU"
/// otherwise (EvicPress section 6.1). The order must outlive the policy.
std::shared_ptr<const Policy> make_eviction_policy(std::string name, std::string method, double removed_fraction,
                                                   const EvictionOrderInfo& order);

/// A parsed "fixed(METHOD,REMOVED_FRACTION,eviction=ORDER)"; nothing for other texts.
struct FixedText {
  std::string method;
  double removed_fraction = 0;
  std::string eviction = "lru";
};
std::optional<FixedText> read_fixed(std::string_view text);

}  // namespace kvantage::inline policy
