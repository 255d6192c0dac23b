// How the time of a pass over the model falls with the number of threads, from what a few threads were measured to
// take. Assumptions: arithmetic divides evenly; memory gives each thread what it gives one, up to a ceiling for all;
// reading hides behind arithmetic or the other way round, so that the longer counts; at each barrier all threads wait
// for each other, for a time that grows with the logarithm of their number; the rest stays on one thread.
#pragma once

#include <span>

namespace kvantage::inline model_cores {

/// Measured: so many threads take so long.
struct ThreadTime {
  int threads = 1;
  double seconds = 0;
};

/// Of one barrier: base + per_doubling * log2(threads) for two or more threads, 0 for one.
struct BarrierCost {
  double base_seconds = 0;
  double seconds_per_doubling = 0;

  double seconds(int threads) const;
  /// Least squares over those of two or more threads, both parts 0 or more; one such point is taken as the base.
  static BarrierCost fit(std::span<const ThreadTime> measured);
};

/// What one pass needs, and what the machine gives.
struct PassCost {
  double bytes = 0;                    // read from memory
  int barriers = 0;                    // times that all threads wait for each other
  double thread_bytes_per_second = 0;  // that one thread reads
  double max_bytes_per_second = 0;     // that all threads together read; 0: no ceiling
  BarrierCost barrier;
};

class ScalingModel {
 public:
  /// one_thread_seconds: of the pass on one thread. serial_seconds: the part of it that is not divided.
  ScalingModel(const PassCost& cost, double one_thread_seconds, double serial_seconds);
  /// With the serial part with which the predictions are closest to what was measured, relative to it; of one thread
  /// there must be a measurement. With no other one, nothing is serial.
  static ScalingModel fit(const PassCost& cost, std::span<const ThreadTime> measured);

  double seconds(int threads) const;
  double speedup(int threads) const { return seconds(1) / seconds(threads); }
  double serial_seconds() const { return serial_seconds_; }
  /// The part that bounds the time at so many threads.
  enum class Bound { arithmetic, memory, barriers, serial };
  Bound bound(int threads) const;

 private:
  double arithmetic_seconds(int threads) const;
  double memory_seconds(int threads) const;
  double barrier_seconds(int threads) const;

  PassCost cost_;
  double one_thread_seconds_;
  double serial_seconds_;
};

const char* to_string(ScalingModel::Bound bound);

}  // namespace kvantage::inline model_cores
