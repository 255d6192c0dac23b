// The policies by name: what each is, where it comes from, how it is written.
#pragma once

#include <string_view>
#include <vector>

namespace kvantage {

struct PolicyInfo {
  std::string_view name;
  std::string_view form;        // as it may be written, parameters with their defaults
  std::string_view parameters;  // what they mean; empty: none
  std::string_view summary;
  std::string_view source;
};

const std::vector<PolicyInfo>& policy_infos();

}  // namespace kvantage
