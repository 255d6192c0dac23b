// The most that this machine does, measured in the same run as what is compared with it.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "core/base/clock.h"

namespace kvantage::test {

inline double now() {
  static const SystemClock clock;
  return static_cast<double>(clock.monotonic_ns()) * 1e-9;
}

inline double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

/// How fast memory is read in order, 1 GiB of it in pages as large as the system gives. Neighbors on the same machine
/// move that by half within seconds: what is compared with it is measured between two passes.
class ReadBandwidth {
 public:
  ReadBandwidth() {
    (void)::madvise(memory_.data(), memory_.size_bytes(), MADV_HUGEPAGE);
    std::ranges::fill(memory_, std::uint64_t{1});
  }
  /// Bytes a second of one pass of `threads`; afterwards no cache holds anything else.
  double pass(int threads) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads) * 8);
    const double start = now();
    {
      std::vector<std::jthread> readers;
      for (int t = 0; t < threads; ++t)
        readers.emplace_back([&, t] {
          const std::size_t part = words / static_cast<std::size_t>(threads);
          const std::uint64_t* at = memory_.data() + part * static_cast<std::size_t>(t);
          std::uint64_t sum[8] = {};
          for (std::size_t i = 0; i + 8 <= part; i += 8)
            for (std::size_t k = 0; k < 8; ++k) sum[k] += at[i + k];
          for (std::size_t k = 0; k < 8; ++k) sums[static_cast<std::size_t>(t) * 8] += sum[k];
        });
    }
    const double seconds = now() - start;
    for (const std::uint64_t sum : sums) read_ += sum;
    return read_ >= words / 2 ? static_cast<double>(words * 8) / seconds : 0;
  }

 private:
  static constexpr std::size_t words = std::size_t{1} << 27;
  std::unique_ptr<std::uint64_t, decltype(&std::free)> pages_{
      static_cast<std::uint64_t*>(std::aligned_alloc(std::size_t{2} << 20, words * 8)), &std::free};
  std::span<std::uint64_t> memory_{pages_.get(), words};
  std::uint64_t read_ = 0;
};

/// The best of seven passes.
inline double read_bandwidth(int threads) {
  ReadBandwidth memory;
  double best = 0;
  for (int pass = 0; pass < 7; ++pass) best = std::max(best, memory.pass(threads));
  return best;
}

/// Multiply-adds x 2 a second of a large product in bf16, libtorch's own.
inline double gemm_peak() {
  const c10::InferenceMode inference;
  const at::Tensor a = at::randn({2048, 4096}).to(at::kBFloat16), b = at::randn({4096, 4096}).to(at::kBFloat16);
  at::Tensor c = at::empty({2048, 4096}, at::TensorOptions(at::kBFloat16));
  double best = 0;
  for (int round = 0; round < 6; ++round) {
    const double start = now();
    at::mm_out(c, a, b.t());
    best = std::max(best, 2.0 * 2048 * 4096 * 4096 / (now() - start));
  }
  return best;
}

}  // namespace kvantage::test
