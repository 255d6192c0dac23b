#include "core/experiments/experiment_runner.h"

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

Status ExperimentRunner::run_cell(const MeasureCell& measure) {
  for (int left = patience_.repeats;; --left) {
    machine_.time_before_cell(patience_.rounds);
    KV_ASSIGN(const auto keep, measure());
    machine_.time(patience_.rounds);
    if (left <= 0 || !machine_.may_repeat()) return keep();
    machine_.forget_cell();
  }
}

Status ExperimentRunner::run_block(std::size_t cells, std::uint64_t seed, const MeasureOfBlock& measure, int block,
                                   const TakeKept& take_kept) {
  for (const std::size_t cell : drawn_order(cells, seed))
    if (!take_kept || !take_kept(cell, block)) KV_TRY(run_cell([&] { return measure(cell, block); }));
  return {};
}

Status ExperimentRunner::run_blocks(int blocks, std::size_t cells, std::uint64_t seed, const MeasureOfBlock& measure,
                                    const TakeKept& take_kept) {
  for (int block = 0; block < blocks; ++block)
    KV_TRY(run_block(cells, derive_seed(seed, static_cast<std::uint64_t>(block)), measure, block, take_kept));
  return {};
}

}  // namespace kvantage::inline experiments
