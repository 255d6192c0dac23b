// Norms of keys: the kernel against its reference, the reference against keys whose norm is known.
#include "gpu/kernels/score_knorm.h"

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

int main() {
  need_device();
  Random random(11);
  for_ragged_shapes(random, [](const RaggedHeads& heads, const std::string& shape) {
    const auto there = heads.on_device();
    const auto scores = value_of(gpu::DeviceArray<float>::zeros(static_cast<std::size_t>(heads.total())));
    must(gpu::launch_score_knorm(there.heads, heads.longest(), scores.data(), nullptr));
    must(gpu::synchronize());
    std::vector<float> expected(static_cast<std::size_t>(heads.total()));
    gpu::score_knorm_reference(heads.host, expected.data());
    check_close(value_of(scores.numbers()), expected, 1e-6F, 0,
                "norms, " + shape);  // fp32 sums of at most 16 numbers per lane
  });

  // Keys with one number that is not zero.
  RaggedHeads heads = ragged_heads(random, 64, 16, {5, 0, 20}, Rows::holes);
  heads.point();
  std::vector<float> known;
  for (const int head : {0, 2})
    for (int token = 0; token < heads.kept[static_cast<std::size_t>(head)]; ++token) {
      std::fill_n(heads.host.key(head, token), 64, std::uint16_t{0});
      heads.host.key(head, token)[(token * 7) % 64] = gpu::narrowed(-static_cast<float>(token));
      known.push_back(-static_cast<float>(token));
    }
  std::vector<float> reference(known.size());
  gpu::score_knorm_reference(heads.host, reference.data());
  check_close(reference, known, 0, 0, "the reference's norms");
  check(!gpu::launch_score_knorm({.block_tokens = 16, .head_dim = 20, .heads = 1}, 1, nullptr, nullptr),
        "rows of no whole pieces are refused");
  return end();
}
