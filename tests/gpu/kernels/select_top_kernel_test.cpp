// The best tokens of each head: the kernel against its reference with ties, NaN and infinities, the reference against a
// count of what is better.
#include "gpu/kernels/select_top.h"

#include <limits>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

struct Case {
  std::vector<float> scores;
  std::vector<std::int32_t> first_score, kept, wanted, first_index;
  int longest = 0, chosen = 0;

  void add(std::vector<float> head, int want) {
    first_score.push_back(static_cast<std::int32_t>(scores.size()));
    first_index.push_back(chosen);
    kept.push_back(static_cast<std::int32_t>(head.size()));
    wanted.push_back(want);
    scores.insert(scores.end(), head.begin(), head.end());
    longest = std::max(longest, kept.back());
    chosen += std::clamp(want, 0, kept.back());
  }
  gpu::HeadScores host() const {
    return {scores.data(), first_score.data(), kept.data(), static_cast<int>(kept.size()), longest};
  }
  std::vector<std::int32_t> reference() const {
    std::vector<std::int32_t> indices(static_cast<std::size_t>(chosen), -1);
    gpu::select_top_reference(host(), wanted.data(), first_index.data(), indices.data());
    return indices;
  }
  std::vector<std::int32_t> kernel() const {
    const auto numbers = value_of(gpu::DeviceArray<float>::of(scores));
    const auto of = [](const std::vector<std::int32_t>& all) {
      return value_of(gpu::DeviceArray<std::int32_t>::of(all));
    };
    const auto firsts = of(first_score), counts = of(kept), wants = of(wanted), outs = of(first_index);
    const auto indices = of(std::vector<std::int32_t>(static_cast<std::size_t>(chosen), -1));
    gpu::HeadScores there = host();
    there.scores = numbers.data();
    there.first_score = firsts.data();
    there.kept = counts.data();
    must(gpu::launch_select_top(there, wants.data(), outs.data(), indices.data(), nullptr));
    must(gpu::synchronize());
    return value_of(indices.numbers());
  }
  /// A token stays where fewer than `wanted` are better: greater, or equal and before it.
  std::vector<std::int32_t> counted() const {
    std::vector<std::int32_t> indices;
    for (std::size_t head = 0; head < kept.size(); ++head) {
      const auto score = [&](int token) {
        const float number = scores[static_cast<std::size_t>(first_score[head] + token)];
        return number != number ? -std::numeric_limits<float>::infinity() : number;
      };
      for (int token = 0; token < kept[head]; ++token) {
        int better = 0;
        for (int other = 0; other < kept[head]; ++other)
          better += score(other) > score(token) || (score(other) == score(token) && other < token) ? 1 : 0;
        if (better < wanted[head]) indices.push_back(token);
      }
    }
    return indices;
  }
};

}  // namespace

int main() {
  need_device();
  Random random(13);
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> special{0.0F,
                                   -0.0F,
                                   infinity,
                                   -infinity,
                                   NAN,
                                   -NAN,
                                   1e-42F,
                                   -1e-42F,
                                   1.0F,
                                   -1.0F,
                                   std::numeric_limits<float>::max(),
                                   std::numeric_limits<float>::lowest()};
  for (int round = 0; round < 40; ++round) {
    Case some;
    for (int head = 0; head < 5; ++head) {
      std::vector<float> scores(random.below(5) == 0 ? 0 : random.below(300));
      const auto kind = random.below(5);
      for (float& score : scores) {
        score = static_cast<float>(random.normal());
        if (kind == 0) score = special[random.below(special.size())];  // little but ties
        if (kind == 1) score = 0.5F;                                   // nothing else
        if (kind == 2)
          score = std::nextafterf(1.0F, 2.0F * static_cast<float>(random.below(2)));  // apart in the last bit
        if (kind == 3 && random.below(4) == 0) score = special[random.below(special.size())];
      }
      const auto size = static_cast<int>(scores.size());
      const int wants[] = {0,        1,        size,
                           size + 7, size / 2, static_cast<int>(random.below(static_cast<std::uint64_t>(size + 1)))};
      some.add(std::move(scores), wants[random.below(6)]);
    }
    const auto reference = some.reference();
    check(some.kernel() == reference, "round " + std::to_string(round) + ": the kernel's tokens");
    check(some.counted() == reference, "round " + std::to_string(round) + ": the reference's tokens");
  }
  // Longer than a small block takes, with ties across its pieces.
  Case long_head;
  std::vector<float> scores(5000);
  for (float& score : scores) score = static_cast<float>(random.below(40));
  long_head.add(scores, 2222);
  long_head.add({}, 4);
  long_head.add({3.0F}, 1);
  check(long_head.kernel() == long_head.reference(), "a long head");
  return end();
}
