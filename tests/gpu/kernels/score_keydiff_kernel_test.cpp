// KeyDiff: the kernels against their reference, the reference against cosines between all pairs of keys.
#include "gpu/kernels/score_keydiff.h"

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<float> of_kernel(const RaggedHeads& heads) {
  const auto there = heads.on_device();
  const auto scores = value_of(gpu::DeviceArray<float>::zeros(static_cast<std::size_t>(heads.total())));
  const auto scratch =
      value_of(gpu::DeviceArray<float>::of(std::vector<float>(gpu::keydiff_scratch(heads.host, heads.longest()), NAN)));
  must(gpu::launch_score_keydiff(there.heads, heads.longest(), scratch.data(), scores.data(), nullptr));
  must(gpu::synchronize());
  return value_of(scores.numbers());
}
std::vector<float> of_reference(const RaggedHeads& heads) {
  std::vector<float> scores(static_cast<std::size_t>(heads.total()));
  gpu::score_keydiff_reference(heads.host, scores.data());
  return scores;
}

/// The cosine to a mean of unit vectors is the mean of the cosines to each of them over the mean's length, whose square
/// is the mean of all pairs'.
std::vector<float> of_pairs(const RaggedHeads& heads) {
  std::vector<float> scores;
  for (int head = 0; head < heads.host.heads; ++head) {
    const int kept = heads.kept[static_cast<std::size_t>(head)];
    const auto product = [&](int a, int b) {
      long double sum = 0;
      for (int i = 0; i < heads.host.head_dim; ++i)
        sum += static_cast<long double>(gpu::widened(heads.host.key(head, a)[i])) *
               static_cast<long double>(gpu::widened(heads.host.key(head, b)[i]));
      return sum;
    };
    std::vector<long double> to_all(static_cast<std::size_t>(kept));
    long double pairs = 0;
    for (int a = 0; a < kept; ++a) {
      for (int b = 0; b < kept; ++b)
        to_all[static_cast<std::size_t>(a)] += product(a, b) / std::sqrt(product(a, a) * product(b, b));
      pairs += to_all[static_cast<std::size_t>(a)];
    }
    for (const long double of_key : to_all) scores.push_back(static_cast<float>(-of_key / std::sqrt(pairs)));
  }
  return scores;
}

}  // namespace

int main() {
  need_device();
  Random random(12);
  for_ragged_shapes(random, [](const RaggedHeads& heads, const std::string& shape) {
    check_close(of_kernel(heads), of_reference(heads), 0, 2e-6F, "cosines, " + shape);  // of numbers up to 1, in fp32
  });

  // Several parts of a head; and keys of zeros, which are unlike and like nothing.
  RaggedHeads long_heads = ragged_heads(random, 64, 16, {1100, 0, 513, 512}, Rows::scrambled);
  long_heads.point();
  for (const int token : {0, 700}) std::fill_n(long_heads.host.key(0, token), 64, std::uint16_t{0});
  const auto scores = of_kernel(long_heads);
  check_close(scores, of_reference(long_heads), 0, 2e-6F, "cosines of long heads");
  check(scores[0] == 0 && scores[700] == 0, "a key of zeros scores 0");
  RaggedHeads zeros = ragged_heads(random, 32, 16, {3}, Rows::dense);
  zeros.point();
  for (int token = 0; token < 3; ++token) std::fill_n(zeros.host.key(0, token), 32, std::uint16_t{0});
  check_close(of_kernel(zeros), {0, 0, 0}, 0, 0, "keys of nothing but zeros");

  RaggedHeads few = ragged_heads(random, 32, 16, {40, 1, 17}, Rows::holes);
  few.point();
  check_close(of_reference(few), of_pairs(few), 0, 1e-6F, "the reference's cosines");
  return end();
}
