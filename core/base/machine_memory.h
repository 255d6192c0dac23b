// How much memory this machine has.
#pragma once

#include <cstdint>

namespace kvantage {

/// Bytes of physical memory; 0 where the system does not say.
std::uint64_t machine_memory_bytes();

}  // namespace kvantage
