// How much memory a model may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kvantage {

/// Bytes that can be had without swapping: the system's MemAvailable, or what the control group still allows if that is
/// less. The largest number when neither can be read.
std::uint64_t available_memory_bytes();

/// What a control group (version 2) whose files are in `folder` still allows: its limit less what it uses, where page
/// cache counts as free, because it is given back on demand. Nothing without a limit.
std::optional<std::uint64_t> control_group_allowance(const std::filesystem::path& folder);

}  // namespace kvantage
