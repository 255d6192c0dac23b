#include "core/model/cores/scaling_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kvantage::inline model_cores {

double BarrierCost::seconds(int threads) const {
  return threads < 2 ? 0 : base_seconds + seconds_per_doubling * std::log2(static_cast<double>(threads));
}

BarrierCost BarrierCost::fit(std::span<const ThreadTime> measured) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const ThreadTime& point : measured) {
    if (point.threads < 2) continue;
    const double doublings = std::log2(static_cast<double>(point.threads));
    count += 1;
    x += doublings;
    y += point.seconds;
    xx += doublings * doublings;
    xy += doublings * point.seconds;
  }
  if (count == 0) return {};
  const double spread = count * xx - x * x;
  const double slope = spread > 1e-12 ? std::max(0.0, (count * xy - x * y) / spread) : 0.0;
  const double base = (y - slope * x) / count;
  if (base >= 0) return {base, slope};
  return {0, std::max(0.0, xy / xx)};  // through the origin
}

ScalingModel::ScalingModel(const PassCost& cost, double one_thread_seconds, double serial_seconds)
    : cost_(cost),
      one_thread_seconds_(one_thread_seconds),
      serial_seconds_(std::clamp(serial_seconds, 0.0, one_thread_seconds)) {}

ScalingModel ScalingModel::fit(const PassCost& cost, std::span<const ThreadTime> measured) {
  constexpr int steps = 1000;
  const auto one = std::ranges::find(measured, 1, &ThreadTime::threads);
  const double alone = one == measured.end() ? 0 : one->seconds;
  ScalingModel best(cost, alone, 0);
  double least = -1;
  for (int step = 0; step <= steps && alone > 0; ++step) {
    const ScalingModel tried(cost, alone, alone * step / steps);
    double off = 0;
    for (const ThreadTime& point : measured) {
      if (point.threads < 2 || point.seconds <= 0) continue;
      const double share = tried.seconds(point.threads) / point.seconds - 1;
      off += share * share;
    }
    if (least >= 0 && off >= least) continue;  // of equal ones, the least serial
    least = off;
    best = tried;
  }
  return best;
}

double ScalingModel::arithmetic_seconds(int threads) const { return (one_thread_seconds_ - serial_seconds_) / threads; }

// One thread's time holds its reading already: only what a ceiling takes longer than its share counts.
double ScalingModel::memory_seconds(int threads) const {
  if (cost_.bytes <= 0 || cost_.thread_bytes_per_second <= 0) return 0;
  double rate = cost_.thread_bytes_per_second * threads;
  if (cost_.max_bytes_per_second > 0) rate = std::min(rate, cost_.max_bytes_per_second);
  return cost_.bytes / rate;
}

double ScalingModel::barrier_seconds(int threads) const { return cost_.barriers * cost_.barrier.seconds(threads); }

double ScalingModel::seconds(int threads) const {
  if (threads < 2) return one_thread_seconds_;
  return serial_seconds_ + std::max(arithmetic_seconds(threads), memory_seconds(threads)) + barrier_seconds(threads);
}

ScalingModel::Bound ScalingModel::bound(int threads) const {
  const std::array parts{
      std::pair{arithmetic_seconds(threads), Bound::arithmetic}, std::pair{memory_seconds(threads), Bound::memory},
      std::pair{barrier_seconds(threads), Bound::barriers}, std::pair{serial_seconds_, Bound::serial}};
  return std::ranges::max_element(parts, {}, [](const auto& part) { return part.first; })->second;
}

const char* to_string(ScalingModel::Bound bound) {
  switch (bound) {
    case ScalingModel::Bound::arithmetic:
      return "arithmetic";
    case ScalingModel::Bound::memory:
      return "memory";
    case ScalingModel::Bound::barriers:
      return "barriers";
    case ScalingModel::Bound::serial:
      return "serial part";
  }
  return "unknown";
}

}  // namespace kvantage::inline model_cores
