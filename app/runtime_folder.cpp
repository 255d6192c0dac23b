#include "app/runtime_folder.h"

#include <cstdlib>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/folders.h"

namespace kvantage {

void name_runtime_folder() {
  constexpr const char* variable = "XDG_RUNTIME_DIR";
  if (const char* given = std::getenv(variable); given != nullptr && *given == '/') return;
  const std::filesystem::path folder = absolute_or_given(cache_directory() / "runtime");
  if (make_private_folders(folder) || !is_private_folder(folder)) return;
  (void)::setenv(variable, folder.c_str(), 1);
}

}  // namespace kvantage
