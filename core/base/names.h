// Names of workloads, tiers, runs and presets. They come from untrusted files and become folder names, file names and
// keys. This is the only place that defines a valid name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

inline constexpr std::size_t max_name_bytes = 100;

/// A name is 1 to 100 bytes of UTF-8 without path separators (/ \ :), the characters * ? " < > |, and control or
/// invisible characters. It does not start with a dot and neither starts nor ends with a space. rejected_input: `where`
/// comes first in the message.
Status check_name(std::string_view name, const std::string& where);

/// Converts `text` to a valid name: invalid characters become _, excess length is cut; `otherwise` where nothing
/// remains.
std::string as_name(std::string_view text, const std::string& otherwise);

}  // namespace kvantage
