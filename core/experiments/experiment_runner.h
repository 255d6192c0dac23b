// Runs the cells of an experiment: in blocks, each of which measures every cell once in an order drawn for it, so that
// what happens to the machine in the meantime does not always hit the same cells; before and after every cell a fixed
// load tells whether something else used the machine. Figures, sweeps and runs of several policies all use it. Numbers
// of one block are compared with each other; intervals are over the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/calibration.h"

namespace kvantage::inline experiments {

/// 0 .. cells - 1, in an order drawn from the seed.
std::vector<std::size_t> drawn_order(std::size_t cells, std::uint64_t seed);

class ExperimentRunner {
 public:
  /// Takes over what a cell measured: called once for each cell.
  using Keep = std::function<Status()>;
  /// Measures a cell. Where something else used the machine before or after it, it is called again, and only what it
  /// returns last is kept.
  using MeasureCell = std::function<Expected<Keep>()>;
  using MeasureOfBlock = std::function<Expected<Keep>(std::size_t cell, int block)>;
  /// Whether a cell of a block is left out: what it measured is kept already, and was taken over in this call.
  using TakeKept = std::function<bool(std::size_t cell, int block)>;

  struct Patience {
    int rounds = Calibration::rounds;    // waits so often for a machine at rest, before and after a cell; 0: no times
    int repeats = Calibration::repeats;  // measures a disturbed cell again so often
  };

  /// `machine` must outlive this.
  explicit ExperimentRunner(Calibration& machine) : machine_(machine) {}
  ExperimentRunner(Calibration& machine, const Patience& patience) : machine_(machine), patience_(patience) {}

  Status run_cell(const MeasureCell& measure);
  /// Each of 0 .. cells - 1 once, in the order drawn from the seed, but for those that `take_kept` leaves out; ends at
  /// the first error, like run_blocks().
  Status run_block(std::size_t cells, std::uint64_t seed, const MeasureOfBlock& measure, int block = 0,
                   const TakeKept& take_kept = {});
  /// The order of each block is drawn from the seed and its number.
  Status run_blocks(int blocks, std::size_t cells, std::uint64_t seed, const MeasureOfBlock& measure,
                    const TakeKept& take_kept = {});

 private:
  Calibration& machine_;
  Patience patience_;
};

}  // namespace kvantage::inline experiments
