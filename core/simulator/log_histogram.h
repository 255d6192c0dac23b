// A histogram of positive numbers in geometrically growing buckets: percentiles of any number of samples in fixed
// memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace kvantage::inline simulator {

/// Buckets are the upper bits of a double: 128 per doubling, from 2^-40 to 2^40. Values outside count at the ends; 0
/// has its own bucket.
class LogHistogram {
 public:
  static constexpr double relative_error = 1.0 / 256;  // of a percentile, half a bucket

  void add(double value) {
    ++count_;
    sum_ += value;
    if (!(value > lowest)) {
      ++zeros_;
      return;
    }
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::min(value, highest));
    ++buckets_[(bits >> shift) - first];
  }
  double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  std::uint64_t count() const { return count_; }
  /// The middle of the bucket that holds the sample of rank ceil(fraction * count).
  double percentile(double fraction) const {
    auto rank = static_cast<std::uint64_t>(fraction * static_cast<double>(count_) + 0.999999);
    rank = std::clamp<std::uint64_t>(rank, 1, std::max<std::uint64_t>(count_, 1));
    if (rank <= zeros_) return 0;
    std::uint64_t below = zeros_;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      below += buckets_[i];
      if (below < rank) continue;
      const double low = std::bit_cast<double>((i + first) << shift),
                   high = std::bit_cast<double>((i + 1 + first) << shift);
      return (low + high) / 2;
    }
    return 0;
  }

 private:
  static constexpr int shift = 52 - 7;
  static constexpr double lowest = 0x1p-40, highest = 0x1p40;
  static constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(lowest) >> shift;
  static constexpr std::uint64_t last = std::bit_cast<std::uint64_t>(highest) >> shift;

  std::vector<std::uint64_t> buckets_ = std::vector<std::uint64_t>(last - first + 1, 0);
  std::uint64_t count_ = 0, zeros_ = 0;
  double sum_ = 0;
};

}  // namespace kvantage::inline simulator
