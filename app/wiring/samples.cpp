#include "app/wiring/samples.h"

#include <algorithm>

#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/workload/presets.h"
#include "core/workload/workload.h"

namespace kvantage::inline wiring {

std::vector<SampleWorkload> sample_workloads() {
  std::vector<SampleWorkload> samples;
  std::error_code ignored;
  for (const std::filesystem::path& folder : entries_of(samples_directory(), ignored)) {
    if (!std::filesystem::is_directory(folder, ignored)) continue;
    SampleWorkload sample{.name = folder.filename().string(), .folder = folder, .description = {}};
    if (std::filesystem::exists(folder / "workload.json", ignored)) {
      const auto head = read_workload_head(folder);
      if (!head) continue;
      sample.description = head->description;
      sample.requests = head->arrivals.requests;
    } else {
      sample.description = "Plain texts without questions, as your own texts would be.";
    }
    samples.push_back(std::move(sample));
  }
  std::ranges::sort(samples, {}, [](const SampleWorkload& sample) {
    return std::pair(sample.folder != quickstart_directory(), sample.name);
  });
  return samples;
}

std::filesystem::path made_workload_folder(const std::filesystem::path& name) {
  return cache_directory() / "workloads" / name;
}

Status check_workload_is_there(const std::filesystem::path& given) {
  std::error_code ignored;
  if (given.empty() || given.has_parent_path() || std::filesystem::exists(named_workload(given), ignored)) return {};
  std::vector<std::string> names;
  for (const SampleWorkload& sample : sample_workloads()) names.push_back(sample.name);
  for (const WorkloadPreset& preset : workload_presets())
    if (!preset.is_sample) names.push_back(preset.options.name);
  return fail(ErrorCode::rejected_input,
              "workload '" + given.string() + "': no such file, folder or sample; " +
                  did_you_mean(given.string(), names, "check the path, or see `kvantage-cli workload list`"));
}

std::filesystem::path named_workload(const std::filesystem::path& given) {
  std::error_code ignored;
  if (given.empty() || given.has_parent_path() || std::filesystem::exists(given, ignored)) return given;
  std::filesystem::path sample = samples_directory() / given;
  if (std::filesystem::is_directory(sample, ignored)) return sample;
  std::filesystem::path made = made_workload_folder(given);
  if (std::filesystem::is_directory(made, ignored)) return made;
  return given;
}

}  // namespace kvantage::inline wiring
