// What this machine does at the most, measured in the same run as what is held against it.
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

/// Bytes a second that `threads` read in order from 1 GiB of memory in pages as large as the system gives; the best of seven passes.
inline double read_bandwidth(int threads) {
  constexpr std::size_t words = std::size_t{1} << 27;
  const std::unique_ptr<std::uint64_t, decltype(&std::free)> pages(static_cast<std::uint64_t*>(std::aligned_alloc(std::size_t{2} << 20, words * 8)), &std::free);
  const std::span<std::uint64_t> memory(pages.get(), words);
  (void)::madvise(memory.data(), memory.size_bytes(), MADV_HUGEPAGE);
  std::ranges::fill(memory, std::uint64_t{1});
  double best = 0;
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads) * 8);
  for (int pass = 0; pass < 7; ++pass) {
    const double start = now();
    {
      std::vector<std::jthread> readers;
      for (int t = 0; t < threads; ++t)
        readers.emplace_back([&, t] {
          const std::size_t part = words / static_cast<std::size_t>(threads);
          const std::uint64_t* at = memory.data() + part * static_cast<std::size_t>(t);
          std::uint64_t sum[8] = {};
          for (std::size_t i = 0; i + 8 <= part; i += 8)
            for (std::size_t k = 0; k < 8; ++k) sum[k] += at[i + k];
          for (std::size_t k = 0; k < 8; ++k) sums[static_cast<std::size_t>(t) * 8] += sum[k];
        });
    }
    best = std::max(best, static_cast<double>(words * 8) / (now() - start));
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  return all >= words ? best : 0;
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
