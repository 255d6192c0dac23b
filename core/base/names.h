// Names of workloads, tiers, runs and presets. Files of others bring them, and folders, files and keys are named with
// them: what a name may be is said here alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

inline constexpr std::size_t max_name_bytes = 100;

/// A name is 1 to 100 bytes of UTF-8 without separators of paths (/ \ :), the signs * ? " < > |, and characters that
/// control or hide text; it does not begin with a dot and neither begins nor ends with a space. rejected_input:
/// `where` stands first in the message.
Status check_name(std::string_view name, const std::string& where);

/// `text` made such a name: what may not be in it becomes _, what is too long is cut; `otherwise` where nothing is
/// left.
std::string as_name(std::string_view text, const std::string& otherwise);

}  // namespace kvantage
