#include "app/cli/run/starting_policy.h"

#include "app/wiring/ready_workload.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/engine/settings_check.h"

namespace kvantage::cli {

std::string starting_policy(const std::filesystem::path& workload) {
  const auto folder = ready_workload(workload);
  if (!folder || !is_there(*folder / "session.json")) return {};
  const auto session = read_json_file(*folder / "session.json");
  if (!session || !session->is_object()) return {};
  const auto policy = json_field_or<std::string>(*session, "policy", "session.json", {});
  return policy && make_servable_policy(*policy) ? *policy : std::string();
}

}  // namespace kvantage::cli
