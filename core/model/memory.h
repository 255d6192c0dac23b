// How much memory a model may take.
#pragma once

#include <cstdint>

namespace kvantage {

/// Bytes that can be had without swapping: the system's MemAvailable, or what the control group still allows if that is
/// less. The largest number when neither can be read.
std::uint64_t available_memory_bytes();

}  // namespace kvantage
