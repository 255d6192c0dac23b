// Files that several machines may write in a folder that they share: the first one stays.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage::cli {

/// Creates `path`, of mode 0600, with all of `text` at once. False: it was there and is left as it is. The text is on
/// the device when this returns. A hard link decides who is first, which file systems of several machines (NFS, Lustre)
/// do atomically; where there are none, renameat2. Errors as write_text_file().
Expected<bool> publish_once(const std::filesystem::path& path, std::string_view text);

}  // namespace kvantage::cli
