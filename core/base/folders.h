// Folders that a user names: rejected up front, in one line, when they are not writable.
#pragma once

#include <filesystem>

#include "core/base/error.h"

namespace kvantage {

/// Code for an errno of a user's path: no_space; rejected_input where another path fixes it (missing, not a folder,
/// read-only, not ours); io for device errors.
ErrorCode code_of_path_error(int code);

/// Creates the folder and its parents when absent, and checks that a file can be created in it.
Status make_writable_folder(const std::filesystem::path& folder);

}  // namespace kvantage
