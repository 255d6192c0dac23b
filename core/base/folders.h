// Folders that a user names: rejected up front, in one line, when they are not writable.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// Code for an errno of a user's path: no_space; rejected_input where another path fixes it (missing, not a folder,
/// read-only, not ours); io for device errors.
ErrorCode code_of_path_error(int code);

/// What is in the folder, in no order; `code` is why that may not be all. A loop over directory_iterator itself
/// throws when a later entry cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& code);

/// Whether something has that name, if only a link that leads nowhere: an optional file that cannot be read is refused
/// by its reader, not left out.
bool is_there(const std::filesystem::path& path);

/// Whether `file`, of `folder`, is a link to a regular file outside it: whoever made the folder chose which of the
/// reader's files that is. `folder` itself may be a link.
bool leads_outside(const std::filesystem::path& folder, const std::filesystem::path& file);

/// The path from the root; as given where the working directory is gone.
std::filesystem::path absolute_or_given(const std::filesystem::path& path);

/// Creates the folder and its parents when absent, those with mode 0700 whatever the umask; existing ones keep theirs.
std::error_code make_private_folders(const std::filesystem::path& folder);

/// Whether it is a folder of the user, not a link, that nobody else may look into (mode 0700).
bool is_private_folder(const std::filesystem::path& folder);

/// make_private_folders, and checks that a file can be created in the folder.
Status make_writable_folder(const std::filesystem::path& folder);

/// A new folder of mode 0700 below that for temporary files; nobody can have prepared its name. `name` begins it.
Expected<std::filesystem::path> make_temporary_folder(const std::string& name);

}  // namespace kvantage
