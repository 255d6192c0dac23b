// Cells of a figure measured in blocks: each block measures every cell once, in an order drawn for it, so that what
// happens to the machine in the meantime does not always hit the same cells. Numbers of one block are compared with
// each other; intervals are over the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline experiments {

/// 0 .. cells - 1, in an order drawn from the seed.
std::vector<std::size_t> drawn_order(std::size_t cells, std::uint64_t seed);

/// Calls `measure` for each cell of each block, in the order of the blocks; ends at the first error.
Status run_blocks(int blocks, std::size_t cells, std::uint64_t seed,
                  const std::function<Status(std::size_t cell, int block)>& measure);

}  // namespace kvantage::inline experiments
