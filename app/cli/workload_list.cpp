#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/wiring/samples.h"
#include "app/wiring/workload_opening.h"
#include "core/base/json.h"
#include "core/workload/workload.h"

namespace kvantage::cli {
namespace {

int list_workloads(bool json) {
  OrderedJson list = OrderedJson::array();
  std::vector<std::vector<std::string>> rows;
  for (const SampleWorkload& sample : sample_workloads()) {
    const auto workload = read_any_workload(sample.folder);
    if (!workload) return report_error(workload.error());
    const std::size_t contexts = workload->contexts.size();
    const std::uint64_t requests = workload->arrivals.requests;
    if (json) {
      list.push_back({{"name", sample.name},
                      {"folder", sample.folder.string()},
                      {"description", sample.description},
                      {"contexts", contexts},
                      {"requests", requests}});
      continue;
    }
    rows.push_back({sample.name, std::to_string(contexts), std::to_string(requests), sample.description});
  }
  if (json)
    print_json(list);
  else
    std::printf("%s", list_text({{"name"}, {"contexts", true}, {"requests", true}, {"what it shows"}}, rows).c_str());
  return 0;
}

}  // namespace

void add_workload_list(CLI::App& workload, CommandResult& result) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command =
      *workload.add_subcommand("list", "List the sample workloads; their names work wherever a workload folder does");
  add_json_option(command, *json);
  command.callback([json, &result] { result.exit_code = list_workloads(*json); });
}

}  // namespace kvantage::cli
