// The policies by name: what each is, where it comes from, how it is written, how it is made. Help, parsing, canonical
// text and the lists of the window follow from these.
// To add one: a file with a class and its factory, and one row in policies.inl, or a call of register_policy().
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/form_parameters.h"
#include "core/policy/policy.h"

namespace kvantage {

/// A text that a user may pick from a list.
struct OfferedPolicy {
  std::string text;
  std::size_t color = 0;  // in charts
  bool is_shown = true;   // false: charts draw it when asked for
};

using MadePolicy = Expected<std::shared_ptr<const Policy>>;

struct PolicyInfo {
  std::string name, summary, source;
  std::vector<ParameterInfo> parameters;
  std::vector<OfferedPolicy> offers;  // at least one
  std::function<MadePolicy(const FormArguments& arguments)> make;

  /// As it may be written, parameters with their defaults.
  std::string form() const { return form_with_defaults(name, parameters); }
};

const std::deque<PolicyInfo>& policy_infos();
/// Nothing for an unknown name.
const PolicyInfo* find_policy_info(std::string_view name);
/// The one whose text this is; nothing where it is in no list.
const OfferedPolicy* find_offered_policy(std::string_view text);

/// Adds a policy to those that the program comes with, before any other thread asks for policies. usage error for a
/// name that is taken or a row that is not whole.
Status register_policy(PolicyInfo info);

}  // namespace kvantage
