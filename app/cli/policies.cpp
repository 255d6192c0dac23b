#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "core/base/json.h"
#include "core/policy/policy_info.h"

namespace kvantage::cli {
namespace {

struct PolicyListArguments {
  bool json = false, details = false;
};

OrderedJson policies_json() {
  OrderedJson list = OrderedJson::array();
  for (const PolicyInfo& info : policy_infos())
    list.push_back({{"name", info.name},
                    {"form", info.form()},
                    {"parameters", parameter_text(info.parameters)},
                    {"summary", info.summary},
                    {"source", info.source}});
  return list;
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
