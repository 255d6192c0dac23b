#include "core/experiments/blocks.h"

#include <numeric>
#include <span>

#include "core/base/random.h"

namespace kvantage::inline experiments {

std::vector<std::size_t> drawn_order(std::size_t cells, std::uint64_t seed) {
  std::vector<std::size_t> order(cells);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(seed).shuffle(std::span(order));
  return order;
}

Status run_blocks(int blocks, std::size_t cells, std::uint64_t seed,
                  const std::function<Status(std::size_t cell, int block)>& measure) {
  for (int block = 0; block < blocks; ++block)
    for (const std::size_t cell : drawn_order(cells, derive_seed(seed, static_cast<std::uint64_t>(block))))
      KV_TRY(measure(cell, block));
  return {};
}

}  // namespace kvantage::inline experiments
