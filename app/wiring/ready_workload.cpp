#include "app/wiring/ready_workload.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "app/wiring/samples.h"
#include "app/wiring/session_file.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/workload/presets.h"
#include "core/workload/workload.h"

namespace kvantage::inline wiring {
namespace {

Status write_preset(const WorkloadPreset& preset, const std::filesystem::path& folder) {
  KV_ASSIGN(auto workload, make_workload(preset.options));
  workload.made_by = "kvantage-cli workload make --preset " + preset.options.name;
  KV_ASSIGN(const auto session, session_file(preset.session));
  if (const std::error_code code = make_private_folders(folder))
    return fail(code_of_path_error(code.value()), folder.string() + ": cannot be made: " + code.message());
  KV_TRY(write_workload(workload, folder));
  return write_session_file(session, folder);
}

/// All files of a workload that was made, texts and arrivals and the session's start.
bool are_same(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto schedule_of = [](const std::filesystem::path& folder) {  // few workloads have one
    const auto text = read_text_file(folder / "schedule.jsonl");
    return text ? *text : std::string();
  };
  return schedule_of(a) == schedule_of(b) &&
         std::ranges::all_of(std::array{"workload.json", "contexts.jsonl", "questions.jsonl", "session.json"},
                             [&](const char* file) {
                               const auto of_a = read_text_file(a / file), of_b = read_text_file(b / file);
                               return of_a && of_b && *of_a == *of_b;
                             });
}

/// Written beside the folder and put in its place at once, so that nobody reads half of one.
Status make_in(const WorkloadPreset& preset, const std::filesystem::path& folder) {
  static std::atomic<int> made = 0;
  const std::filesystem::path begun = folder.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(made++);
  const Status written = write_preset(preset, begun);
  Status placed;
  if (written && !are_same(begun, folder)) {
    const bool exchanged = ::renameat2(AT_FDCWD, begun.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0;
    if (!exchanged && ::rename(begun.c_str(), folder.c_str()) != 0 && !are_same(begun, folder)) {
      const int code = errno;
      placed = fail(code_of_path_error(code),
                    folder.string() + ": cannot be put there: " + std::generic_category().message(code));
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(begun, ignored);  // what was in the folder before, or was not needed
  return written ? placed : written;
}

const WorkloadPreset* made_preset(const std::filesystem::path& name) {
  const auto presets = workload_presets();
  const auto found = std::ranges::find_if(
      presets, [&](const WorkloadPreset& one) { return !one.is_sample && one.options.name == name.string(); });
  return found == presets.end() ? nullptr : &*found;
}

}  // namespace

Expected<std::filesystem::path> ready_workload(const std::filesystem::path& given) {
  const WorkloadPreset* preset = made_preset(given);
  std::error_code ignored;
  if (preset == nullptr || std::filesystem::exists(given, ignored)) return named_workload(given);
  std::filesystem::path folder = made_workload_folder(given);
  if (!check_cache_path(folder))
    return fail(ErrorCode::rejected_input,
                given.string() +
                    ": is made in the cache folder, and there is none; set KVANTAGE_CACHE, or make it with "
                    "kvantage-cli workload make --preset " +
                    given.string() + " --out FOLDER");
  KV_TRY(make_in(*preset, folder));
  return folder;
}

}  // namespace kvantage::inline wiring
