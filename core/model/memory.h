// How much memory a model may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kvantage::inline model {

/// Bytes available without swapping: the system's MemAvailable, or the control group's remaining allowance if that is
/// less. The maximum value when neither can be read.
std::uint64_t available_memory_bytes();

/// Remaining allowance of a control group (version 2) with its files in `folder`: its limit minus its usage, where page
/// cache counts as free, because it is reclaimed on demand. Nothing without a limit.
std::optional<std::uint64_t> control_group_allowance(const std::filesystem::path& folder);

}  // namespace kvantage::inline model
