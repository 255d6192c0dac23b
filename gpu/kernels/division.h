// Division of row numbers in kernels by a number that is known at launch.
#pragma once

#include <cstdint>

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {

/// By a multiplication and a shift (Granlund and Montgomery 1994), without branches: a division by a variable takes
/// some twenty instructions, and keeps the loads of several rows from being issued together.
class Division {
 public:
  Division() = default;
  /// divisor: at least 1.
  explicit Division(int divisor) : divisor_(divisor) {
    while (std::int64_t{1} << (shift_ - 31) < divisor) ++shift_;
    const auto by = static_cast<std::uint64_t>(divisor);
    factor_ = static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + by - 1) / by);
  }

  /// Of numbers from 0 on.
  __host__ __device__ int quotient(int number) const {
    return static_cast<int>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)) * factor_ >> shift_);
  }
  __host__ __device__ int rest(int number) const { return number - quotient(number) * divisor_; }

 private:
  int divisor_ = 1, shift_ = 31;
  std::uint32_t factor_ = 1U << 31;
};

}  // namespace kvantage::gpu
