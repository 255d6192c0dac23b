#include "app/cli/base/value_checks.h"

#include <algorithm>
#include <charconv>

#include "core/base/did_you_mean.h"

namespace kvantage::cli {

CLI::Validator whole_number(std::uint64_t most) {
  const auto check = [most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc() && end == text.data() + text.size() && value <= most) return {};
    return "'" + text + "' is not a whole number from 0 to " + std::to_string(most);
  };
  return CLI::Validator(check, "", "whole number");
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string shown;
  for (const std::string& name : names) shown += (shown.empty() ? "{" : ",") + name;
  const auto check = [names = std::move(names)](const std::string& text) -> std::string {
    if (std::ranges::find(names, text) != names.end()) return {};
    // A beginning counts too: zh for zh_CN.
    const auto begins = [&](const std::string& name) { return !text.empty() && name.starts_with(text); };
    const std::string meant = std::ranges::count_if(names, begins) == 1 ? *std::ranges::find_if(names, begins) : text;
    return "unknown value '" + text + "'; " + did_you_mean(meant, names);
  };
  return CLI::Validator(check, shown + "}", "one of");
}

}  // namespace kvantage::cli
