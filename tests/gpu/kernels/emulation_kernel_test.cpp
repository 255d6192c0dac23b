// The emulation itself, and on a GPU that it emulates what is there: fragments, tiles, exchanges, asynchronous copies.
#include <vector>

#include "core/base/random.h"
#include "gpu/kernels/probe.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

int main() {
  need_device();
  Random random(3);
  std::vector<std::uint16_t> a(16 * 16), b(16 * 8);
  for (auto* numbers : {&a, &b})
    for (std::uint16_t& number : *numbers)
      number = gpu::probe_bf16(static_cast<float>(random.below(17)) - 8.0F);  // products and sums of these are exact
  const auto device_a = value_of(gpu::DeviceArray<std::uint16_t>::of(a)),
             device_b = value_of(gpu::DeviceArray<std::uint16_t>::of(b));
  const auto product = value_of(gpu::DeviceArray<float>::zeros(16 * 8));
  must(gpu::launch_probe_product(device_a.data(), device_b.data(), product.data(), nullptr));
  must(gpu::synchronize());
  const auto numbers = value_of(product.numbers());
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < 16; ++k)
        sum += gpu::probe_float(a[row * 16 + k]) * gpu::probe_float(b[k * 8 + column]);
      check(numbers[row * 8 + column] == sum, "product at " + std::to_string(row) + ", " + std::to_string(column) +
                                                  ": " + std::to_string(numbers[row * 8 + column]) + " for " +
                                                  std::to_string(sum));
    }

  // Each thread adds what its warp, then its block holds; 96 threads per block, three blocks.
  const auto sums = value_of(gpu::DeviceArray<int>::zeros(3 * 96));
  must(gpu::launch_probe_sums(sums.data(), 3, 96, nullptr));
  must(gpu::synchronize());
  const auto counted = value_of(sums.numbers());
  for (int block = 0; block < 3; ++block)
    for (int t = 0; t < 96; ++t) {
      int warp = 0, all = 0;
      for (int o = 0; o < 96; ++o) all += block * 1000 + o, warp += o / 32 == t / 32 ? block * 1000 + o : 0;
      check(counted[static_cast<std::size_t>(block * 96 + t)] == warp + all,
            "sums of block " + std::to_string(block) + ", thread " + std::to_string(t));
    }
  return end();
}
