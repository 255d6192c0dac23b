// Folders that a user names: refused at once, in one line, when nothing can be written there.
#pragma once

#include <filesystem>

#include "core/base/error.h"

namespace kvantage {

/// Code for an errno of a path that someone gave: no_space; rejected_input where another path is the mend (not there,
/// not a folder, read-only, not ours); io for what a device says.
ErrorCode code_of_path_error(int code);

/// Makes the folder and those above it when absent, and tries that a file can be made in it.
Status make_writable_folder(const std::filesystem::path& folder);

}  // namespace kvantage
