#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "core/base/json.h"
#include "core/policy/formula/formula.h"
#include "core/policy/policy_info.h"

namespace kvantage::cli {
namespace {

struct PolicyListArguments {
  bool json = false, details = false;
};

/// What a formula may name and call: of the one policy that takes one.
bool takes_formula(const PolicyInfo& info) {
  return std::ranges::find(info.parameters, "EXPRESSION", &ParameterInfo::key) != info.parameters.end();
}

OrderedJson policies_json() {
  OrderedJson list = OrderedJson::array();
  for (const PolicyInfo& info : policy_infos()) {
    list.push_back({{"name", info.name},
                    {"form", info.form()},
                    {"parameters", parameter_text(info.parameters)},
                    {"summary", info.summary},
                    {"source", info.source}});
    if (!takes_formula(info)) continue;
    for (const QuantityInfo& quantity : quantities())
      list.back()["quantities"].push_back(
          {{"name", quantity.name}, {"unit", quantity.unit}, {"meaning", quantity.meaning}});
    for (const std::string_view function : formula_functions()) list.back()["functions"].push_back(function);
  }
  return list;
}

std::string formula_text() {
  std::string text;
  for (const QuantityInfo& quantity : quantities())
    text += (text.empty() ? "" : "; ") + std::string(quantity.name) + ": " + std::string(quantity.meaning) + " (" +
            std::string(quantity.unit) + ")";
  std::string functions;
  for (const std::string_view function : formula_functions())
    functions += (functions.empty() ? "" : ", ") + std::string(function);
  return labeled_text("quantities", text) + labeled_text("operators", "+ - * / ^ < <= > >= == != && || and ? :") +
         labeled_text("functions", functions) +
         labeled_text("not finite", "a value that is infinite or not a number is the lowest of all");
}

std::string policies_text(bool details) {
  const auto closing = [](const std::string& first) {
    return "\n" + wrapped(first + " `kvantage-cli run --policy lru,evicpress` compares policies.", "", output_columns) +
           "\n";
  };
  std::string text;
  if (details) {
    for (const PolicyInfo& info : policy_infos()) {
      text += form_lines(info.form()) + labeled_text("does", info.summary);
      if (const std::string parameters = parameter_text(info.parameters); !parameters.empty())
        text += labeled_text("parameters", parameters);
      if (takes_formula(info)) text += formula_text();
      text += labeled_text("source", info.source);
    }
    return text + closing("Parameters are shown with their defaults.");
  }
  std::vector<std::vector<std::string>> rows;
  for (const PolicyInfo& info : policy_infos()) rows.push_back({info.name, info.summary});
  return list_text({{"policy"}, {"what it does"}}, rows) + closing("Parameters, text forms and sources: --details.");
}

}  // namespace

void add_policies(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<PolicyListArguments>();
  CLI::App& command =
      *parent.add_subcommand("policies", "List placement and compression policies with parameters and sources");
  command.add_flag("--details", arguments->details, "Print text forms, parameters and sources as well");
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    if (arguments->json)
      print_json(policies_json());
    else
      std::printf("%s", policies_text(arguments->details).c_str());
    result.exit_code = 0;
  });
}

}  // namespace kvantage::cli
