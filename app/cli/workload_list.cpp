#include <cstdio>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/samples.h"
#include "core/base/json.h"
#include "core/workload/workload.h"

namespace kvantage::cli {
namespace {

int list_workloads(bool json) {
  OrderedJson list = OrderedJson::array();
  if (!json) std::printf("%-20s %8s %8s  %s\n", "name", "contexts", "requests", "what it shows");
  for (const SampleWorkload& sample : sample_workloads()) {
    std::size_t contexts = 0;
    if (sample.requests > 0) {
      const auto workload = read_workload(sample.folder);
      if (!workload) return report_error(workload.error());
      contexts = workload->contexts.size();
    }
    if (json) {
      OrderedJson one{{"name", sample.name}, {"folder", sample.folder.string()}, {"description", sample.description}};
      if (sample.requests > 0) one.update({{"contexts", contexts}, {"requests", sample.requests}});
      list.push_back(std::move(one));
      continue;
    }
    const auto counted = [&](std::uint64_t count) { return sample.requests > 0 ? std::to_string(count) : std::string("-"); };
    std::printf("%-20s %8s %8s  %s\n", sample.name.c_str(), counted(contexts).c_str(), counted(sample.requests).c_str(),
                sample.description.c_str());
  }
  if (json) std::printf("%s\n", list.dump().c_str());
  return 0;
}

}  // namespace

void add_workload_list(CLI::App& workload, CommandResult& result) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command = *workload.add_subcommand("list", "The sample workloads: their names serve wherever a workload folder does");
  command.add_flag("--json", *json, "One JSON list");
  command.callback([json, &result] { result.exit_code = list_workloads(*json); });
}

}  // namespace kvantage::cli
