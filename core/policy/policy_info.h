// The policies by name: description, source, text form, factory. Help, parsing, canonical text and the lists of the
// window derive from these. To add one: a file with a class and its factory, and one row in policies.inl, or a call of
// register_policy().
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/form_parameters.h"
#include "core/policy/policy.h"

namespace kvantage::inline policy {

/// A text that a user may pick from a list.
struct OfferedPolicy {
  std::string text;
  std::size_t color = 0;  // in charts
  bool is_shown = true;   // false: charts draw it on request
};

using MadePolicy = Expected<std::shared_ptr<const Policy>>;

/// What other code asks of a policy instead of its name. The defaults suit a policy with nothing special.
struct PolicyTraits {
  bool stores = true;                   // false: stores no cache in any tier
  bool plans_at_scale = true;           // false: a plan of more than max_followed_contexts (core/simulator) is too slow
  bool has_color_of_method = false;     // in charts: the color of the method that is its first argument
  std::string eviction_order = {};      // by which every tier evicts; empty: by another rule
  std::string eviction_parameter = {};  // key of the parameter that names that order; empty: none does
  std::string keep_all_tokens_hint = "keep every token";  // in errors; METHOD stands for the method
};

struct PolicyInfo {
  std::string name, summary, source;
  std::vector<ParameterInfo> parameters;
  std::vector<OfferedPolicy> offers;  // at least one
  PolicyTraits traits = {};
  std::function<MadePolicy(const FormArguments& arguments)> make = {};

  /// Its text form, parameters with their defaults.
  std::string form() const { return form_with_defaults(name, parameters); }
};

const std::deque<PolicyInfo>& policy_infos();
/// Nothing for an unknown name.
const PolicyInfo* find_policy_info(std::string_view name);
/// The offered policy with this text; nothing if no list has it.
const OfferedPolicy* find_offered_policy(std::string_view text);

/// Adds a policy to the built-in ones, before any other thread queries policies. usage error for a name that is taken
/// or an incomplete row.
Status register_policy(PolicyInfo info);

}  // namespace kvantage::inline policy
