// Files that hold a password or a key.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace kvantage::inline remote {

/// The text of a regular file of at most 64 KiB that is the user's and has mode 0600; nothing if there is none.
/// rejected_input otherwise: `secret` names what others could read, for the message ("these passwords").
Expected<std::optional<std::string>> read_secret_file(const std::filesystem::path& path, const std::string& secret);

}  // namespace kvantage::inline remote
