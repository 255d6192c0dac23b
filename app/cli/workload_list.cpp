#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/samples.h"
#include "app/wiring/workload_opening.h"
#include "core/base/json.h"
#include "core/workload/workload.h"

namespace kvantage::cli {
namespace {

int list_workloads(bool json) {
  OrderedJson list = OrderedJson::array();
  if (!json) std::printf("%-20s %8s %8s  %s\n", "name", "contexts", "requests", "what it shows");
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
    std::printf("%-20s %8zu %8llu  %s\n", sample.name.c_str(), contexts, static_cast<unsigned long long>(requests),
                sample.description.c_str());
  }
  if (json) print_json(list);
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
