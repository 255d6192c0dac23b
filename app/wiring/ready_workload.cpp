#include "app/wiring/ready_workload.h"

#include <unistd.h>

#include <algorithm>

#include "app/wiring/samples.h"
#include "app/wiring/session_file.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/workload/presets.h"
#include "core/workload/workload.h"

namespace kvantage::inline wiring {
namespace {

/// Written beside it and moved there, so that nobody reads half of one.
Status write_made(const WorkloadPreset& preset, const Workload& workload, const std::filesystem::path& folder) {
  KV_TRY(check_cache_path(folder));
  KV_ASSIGN(const auto session, session_file(preset.session));
  const std::filesystem::path begun = folder.string() + "." + std::to_string(::getpid());
  if (const std::error_code code = make_private_folders(begun))
    return fail(code_of_path_error(code.value()), begun.string() + ": cannot be made: " + code.message());
  KV_TRY(write_workload(workload, begun));
  KV_TRY(write_session_file(session, begun));
  std::error_code code;
  std::filesystem::remove_all(folder, code);
  std::filesystem::rename(begun, folder, code);
  std::error_code ignored;
  std::filesystem::remove_all(begun, ignored);
  if (code && !std::filesystem::exists(folder, ignored))
    return fail(code_of_path_error(code.value()), folder.string() + ": cannot be made: " + code.message());
  return {};
}

}  // namespace

std::vector<std::string> made_workloads() {
  std::vector<std::string> names;
  for (const WorkloadPreset& preset : workload_presets())
    if (!preset.is_sample) names.push_back(preset.options.name);
  return names;
}

Expected<std::filesystem::path> ready_workload(const std::filesystem::path& given) {
  const std::filesystem::path named = named_workload(given);
  if (named != given && named != made_workload_folder(given)) return named;
  std::error_code ignored;
  if (named == given && std::filesystem::exists(given, ignored)) return given;
  const auto presets = workload_presets();
  const auto preset = std::ranges::find_if(
      presets, [&](const WorkloadPreset& one) { return !one.is_sample && one.options.name == given.string(); });
  if (preset == presets.end()) return named;
  KV_ASSIGN(auto workload, make_workload(preset->options));
  workload.made_by = "kvantage-cli workload make --preset " + preset->options.name;
  const std::filesystem::path folder = made_workload_folder(given);
  const auto made = read_workload(folder);
  if (!made || made->digest().hex() != workload.digest().hex()) KV_TRY(write_made(*preset, workload, folder));
  return folder;
}

}  // namespace kvantage::inline wiring
