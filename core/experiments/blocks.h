// Cells of a figure measured in blocks: each block measures every cell once, in an order drawn for it, so that what
// happens to the machine in the meantime does not always hit the same cells. Numbers of one block are compared with
// each other; intervals are over the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// 0 .. cells - 1, in an order drawn from the seed.
std::vector<std::size_t> drawn_order(std::size_t cells, std::uint64_t seed);

/// Calls `measure` for each cell of each block, in the order of the blocks; ends at the first error.
Status run_blocks(int blocks, std::size_t cells, std::uint64_t seed,
                  const std::function<Status(std::size_t cell, int block)>& measure);

/// The mean of one value a block, with Student's 95 % interval; a single block has none.
MeasuredSpan measured_mean(std::span<const double> values);
/// The mean of above[i] / below[i], block by block. Both have as many values, and `below` no 0.
MeasuredSpan measured_ratio(std::span<const double> above, std::span<const double> below);
/// A number that is the same in every block: its interval is itself.
MeasuredSpan exactly(double value);
/// From the smallest to the largest of them, at least one.
MeasuredSpan span_of(const std::vector<MeasuredSpan>& all);
/// above / below of numbers that were not measured in pairs: the interval is the widest that theirs allow, and covers
/// at least 95 %. Both are above 0.
MeasuredSpan quotient(const MeasuredSpan& above, const MeasuredSpan& below);
/// factor * value + offset, as for another unit.
MeasuredSpan scaled(const MeasuredSpan& measured, double factor, double offset = 0);

}  // namespace kvantage::inline experiments
