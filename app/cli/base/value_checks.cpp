#include "app/cli/base/value_checks.h"

#include <algorithm>
#include <charconv>

#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"

namespace kvantage::cli {

CLI::Validator whole_number(std::uint64_t most) {
  const auto check = [most](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc() && end == text.data() + text.size() && value <= most) return {};
    return "'" + text + "' is not a whole number from 0 to " + std::to_string(most) + "; give one";
  };
  return CLI::Validator(check, "", "whole number");
}

CLI::Validator one_of(std::vector<std::string> names) {
  std::string shown;
  for (const std::string& name : names) shown += (shown.empty() ? "{" : ",") + name;
  const auto check = [names = std::move(names)](const std::string& text) -> std::string {
    if (std::ranges::find(names, text) != names.end()) return {};
    return "unknown value '" + text + "'; " + did_you_mean(text, names);
  };
  return CLI::Validator(check, shown + "}", "one of");
}

CLI::Validator fraction() {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc() && end == text.data() + text.size() && value >= 0 && value < 1) return {};
    return "'" + text + "' is not a number from 0 to below 1; write it like 0.5";
  };
  return CLI::Validator(check, "FLOAT in [0 - below 1]", "fraction");
}

void refuse_flag_values(CLI::App& program) {
  for (CLI::Option* option : program.get_options())
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) refuse_flag_values(*command);
}

CLI::Validator shipped_model() {
  return CLI::Validator(
      [](std::string& value) {
        value = wiring::model_path(value).string();
        return std::string();
      },
      "");
}

}  // namespace kvantage::cli
