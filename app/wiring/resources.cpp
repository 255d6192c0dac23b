#include "app/wiring/resources.h"

#include <algorithm>
#include <cstdlib>

namespace kvantage::inline wiring {

std::filesystem::path program_home() {
  if (const char* home = std::getenv("KVANTAGE_HOME"); home != nullptr && *home != '\0') return home;
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  while (!folder.empty() && folder != folder.root_path()) {
    if (std::filesystem::exists(folder / "sample_workloads", ignored)) return folder;
    const std::filesystem::path installed = folder / "share" / "kvantage";
    if (std::filesystem::exists(installed / "sample_workloads", ignored)) return installed;
    folder = folder.parent_path();
  }
  return std::filesystem::current_path(ignored);
}

std::filesystem::path documentation_directory() {
  const std::filesystem::path home = program_home();
  std::error_code ignored;
  // The source tree, else what is installed: share/kvantage has share/doc/kvantage beside it.
  for (const std::filesystem::path& folder : {home / "docs", home.parent_path() / "doc" / home.filename()})
    if (std::filesystem::exists(folder / "guide.md", ignored)) return folder;
  return {};
}

std::filesystem::path directory_of(const ShippedModel& model) { return program_home() / "resources" / model.folder; }

std::filesystem::path model_path(const std::filesystem::path& named) {
  std::error_code ignored;
  if (std::filesystem::exists(named, ignored)) return named;
  const auto* const found = std::ranges::find(shipped_models, named.native(), &ShippedModel::name);
  return found == shipped_models.end() ? named : directory_of(*found);
}

const ShippedModel* shipped_model_at(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto* const found = std::ranges::find_if(shipped_models, [&](const ShippedModel& model) {
    return std::filesystem::equivalent(folder, directory_of(model), ignored);
  });
  return found == shipped_models.end() ? nullptr : found;
}

}  // namespace kvantage::inline wiring
