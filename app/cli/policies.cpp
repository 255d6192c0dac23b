#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "core/base/json.h"
#include "core/policy/policy_info.h"

namespace kvantage::cli {
namespace {

int list_policies(bool json) {
  if (json) {
    OrderedJson list = OrderedJson::array();
    for (const PolicyInfo& info : policy_infos())
      list.push_back({{"name", info.name},
                      {"form", info.form()},
                      {"parameters", parameter_text(info.parameters)},
                      {"summary", info.summary},
                      {"source", info.source}});
    print_json(list);
    return 0;
  }
  const auto say = [](const char* name, const std::string& text) {
    if (!text.empty()) std::printf("  %-12s %s\n", name, text.c_str());
  };
  for (const PolicyInfo& info : policy_infos()) {
    std::printf("%s\n", info.form().c_str());
    say("does", info.summary);
    say("parameters", parameter_text(info.parameters));
    say("source", info.source);
  }
  std::printf(
      "\nParameters are shown with their defaults. `kvantage-cli run --policy lru,evicpress` compares policies.\n");
  return 0;
}

}  // namespace

void add_policies(CLI::App& parent, CommandResult& result) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command =
      *parent.add_subcommand("policies", "List placement and compression policies with parameters and sources");
  add_json_option(command, *json);
  command.callback([json, &result] { result.exit_code = list_policies(*json); });
}

}  // namespace kvantage::cli
