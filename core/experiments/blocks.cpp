#include "core/experiments/blocks.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/random.h"
#include "core/base/statistics.h"

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

MeasuredSpan measured_mean(std::span<const double> values) {
  const double mean = mean_of(values);
  const auto interval = student_interval(values);
  return {mean, mean, interval, interval};
}

MeasuredSpan measured_ratio(std::span<const double> above, std::span<const double> below) {
  std::vector<double> ratios(above.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = above[i] / below[i];
  return measured_mean(ratios);
}

MeasuredSpan exactly(double value) { return {value, value, Interval{value, value}, Interval{value, value}}; }

MeasuredSpan span_of(const std::vector<MeasuredSpan>& all) {
  const auto least = std::ranges::min_element(all, {}, &MeasuredSpan::low);
  const auto most = std::ranges::max_element(all, {}, &MeasuredSpan::high);
  return {least->low, most->high, least->low_interval, most->high_interval};
}

MeasuredSpan quotient(const MeasuredSpan& above, const MeasuredSpan& below) {
  const auto ratio = [](const std::optional<Interval>& over, const std::optional<Interval>& under) {
    return over && under && under->low > 0 ? std::optional(Interval{over->low / under->high, over->high / under->low})
                                           : std::nullopt;
  };
  return {above.low / below.high, above.high / below.low, ratio(above.low_interval, below.high_interval),
          ratio(above.high_interval, below.low_interval)};
}

MeasuredSpan scaled(const MeasuredSpan& measured, double factor, double offset) {
  const auto end = [&](double value) { return factor * value + offset; };
  const auto ends = [&](const std::optional<Interval>& interval) {
    return interval ? std::optional(Interval{end(interval->low), end(interval->high)}) : std::nullopt;
  };
  MeasuredSpan result{end(measured.low), end(measured.high), ends(measured.low_interval), ends(measured.high_interval)};
  if (factor >= 0) return result;
  std::swap(result.low, result.high);
  std::swap(result.low_interval, result.high_interval);
  for (auto* interval : {&result.low_interval, &result.high_interval})
    if (*interval) std::swap((*interval)->low, (*interval)->high);
  return result;
}

}  // namespace kvantage::inline experiments
