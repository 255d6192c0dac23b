#include "core/model/fixed_load.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "core/model/compute_cores.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {
namespace {

constexpr std::size_t square_side = 192;  // three matrices of 144 KiB stay in a core's second-level cache
using Square = std::array<float, square_side * square_side>;

void multiply(const Square& left, const Square& right, Square& product) {
  product.fill(0);
  for (std::size_t row = 0; row < square_side; ++row)
    for (std::size_t inner = 0; inner < square_side; ++inner) {
      const float factor = left[row * square_side + inner];
      for (std::size_t column = 0; column < square_side; ++column)
        product[row * square_side + column] += factor * right[inner * square_side + column];
    }
}

void multiply_often() {
  constexpr int pairs = 3;
  const auto matrices = std::make_unique<std::array<Square, 3>>();
  auto& [matrix, first, second] = *matrices;
  matrix.fill(0.001F);
  first.fill(0.001F);
  for (int pair = 0; pair < pairs; ++pair) {
    multiply(first, matrix, second);
    multiply(second, matrix, first);
  }
  volatile float used = first.front();
  (void)used;
}

}  // namespace

void run_fixed_load() {
  const std::vector<int> cores = allowed_cores();
  const std::size_t count = std::min(static_cast<std::size_t>(compute_threads()), cores.size());
  // None begins before all are on their cores: one that was started on the core of another would wait there for that
  // one's turn to end before it could leave, and the load would take twice as long on a machine at rest.
  std::latch on_their_cores(static_cast<std::ptrdiff_t>(count));
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::size_t thread = 0; thread < count; ++thread)
    threads.emplace_back([core = cores[thread], &on_their_cores] {
      stay_on({core});
      on_their_cores.arrive_and_wait();
      multiply_often();
    });
}

}  // namespace kvantage::inline model
