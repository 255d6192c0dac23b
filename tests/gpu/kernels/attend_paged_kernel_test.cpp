// Decode attention: the kernel against its reference within what rounding weights to bf16 may do, over ragged shapes,
// parts and graphs' spare room.
#include "gpu/kernels/attend_paged.h"

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<std::uint16_t> random_queries(Random& random, const RaggedHeads& heads, int group, float spread) {
  std::vector<std::uint16_t> queries(static_cast<std::size_t>(heads.host.heads * group * heads.host.head_dim));
  for (std::uint16_t& number : queries) number = gpu::narrowed(spread * static_cast<float>(random.normal()));
  return queries;
}

std::vector<std::uint16_t> of_reference(const RaggedHeads& heads, gpu::DecodeAttention job,
                                        const std::vector<std::uint16_t>& queries) {
  job.queries = queries.data();
  std::vector<std::uint16_t> out(queries.size(), 0x7fc0);
  gpu::attend_paged_reference(heads.host, job, out.data());
  return out;
}

/// Launched `times` times with the same scratch, which only the first finds zeroed.
std::vector<std::uint16_t> of_kernel(const RaggedHeads& heads, gpu::DecodeAttention job,
                                     const std::vector<std::uint16_t>& queries, int longest, int times = 1) {
  const auto there = heads.on_device();
  const auto queries_there = value_of(gpu::DeviceArray<std::uint16_t>::of(queries));
  job.queries = queries_there.data();
  const auto out = value_of(gpu::DeviceArray<std::uint16_t>::of(std::vector<std::uint16_t>(queries.size(), 0x7fc0)));
  const auto scratch =
      value_of(gpu::DeviceArray<unsigned char>::zeros(gpu::attend_scratch_bytes(heads.host, job, longest)));
  for (int i = 0; i < times; ++i)
    must(gpu::launch_attend_paged(there.heads, job, longest, scratch.data(), out.data(), nullptr));
  must(gpu::synchronize());
  return value_of(out.numbers());
}

/// With A = sum of weight * |value|: weights are rounded to bf16 (2^-9 of each, and as much of their sum), then the
/// output is (2^-9 of it); products of fp32 sums are far below. So 2^-8 A + 2^-8 |output|.
void check_attention(const RaggedHeads& heads, const gpu::DecodeAttention& job,
                     const std::vector<std::uint16_t>& queries, const std::vector<std::uint16_t>& out,
                     const std::string& what) {
  const auto expected = of_reference(heads, job, queries);
  RaggedHeads sizes = heads;  // the same heads with |values|
  sizes.point();
  for (int head = 0; head < sizes.host.heads; ++head)
    for (int token = 0; token < sizes.kept[static_cast<std::size_t>(head)]; ++token)
      for (int i = 0; i < sizes.host.head_dim; ++i) sizes.host.value(head, token)[i] &= 0x7fff;
  const auto magnitudes = of_reference(sizes, job, queries);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float number = gpu::widened(out[i]), right = gpu::widened(expected[i]);
    check(std::fabs(number - right) <= 0x1p-8F * (1.01F * gpu::widened(magnitudes[i]) + std::fabs(right)),
          what + ", number " + std::to_string(i) + ": " + std::to_string(number) + " for " + std::to_string(right));
  }
}

}  // namespace

int main() {
  need_device();
  Random random(23);
  const int groups[] = {1, 2, 4, 7, 16, 19};  // 19: two tiles of rows
  std::size_t turn = 0;
  for_ragged_shapes(random, [&](const RaggedHeads& heads, const std::string& shape) {
    const int group = groups[turn++ % 6];
    const gpu::DecodeAttention job{.group = group, .scale = 1 / std::sqrt(static_cast<float>(heads.host.head_dim))};
    const auto queries =
        random_queries(random, heads, group, turn % 3 == 0 ? 8.0F : 1.0F);  // 8: some rows see one token nearly alone
    check_attention(heads, job, queries, of_kernel(heads, job, queries, heads.longest()),
                    "group " + std::to_string(group) + ", " + shape);
  });

  for (const int head_dim : {8, 80, 256}) {  // padded, and two stages
    RaggedHeads heads = ragged_heads(random, head_dim, 16, {130, 0, 401, 1}, Rows::holes);
    heads.point();
    const gpu::DecodeAttention job{.group = 5, .scale = 0.1F};
    const auto queries = random_queries(random, heads, 5, 1);
    check_attention(heads, job, queries, of_kernel(heads, job, queries, 401), "head_dim " + std::to_string(head_dim));
  }
  {  // several parts of several rounds of tiles, one head of them in one part; counters are as they were afterwards
    RaggedHeads heads = ragged_heads(random, 64, 32, {1500, 90, 0, 129, 1024}, Rows::scrambled);
    heads.point();
    const gpu::DecodeAttention job{.group = 3, .scale = 0.125F};
    const auto queries = random_queries(random, heads, 3, 1.5F);
    const auto once = of_kernel(heads, job, queries, 1500);
    check_attention(heads, job, queries, once, "parts");
    check(of_kernel(heads, job, queries, 1500, 3) == once,
          "the third launch on the same scratch gives the bits of the first");
    // A graph captured with room to grow: parts are others, heads the same.
    const auto roomy = of_kernel(heads, job, queries, 40'000, 2);
    check_attention(heads, job, queries, roomy, "room to grow");
  }
  {  // so many heads that parts are long
    std::vector<int> kept(300, 5);
    kept[17] = 900;
    RaggedHeads heads = ragged_heads(random, 32, 16, kept, Rows::dense);
    heads.point();
    const gpu::DecodeAttention job{.group = 2, .scale = 0.2F};
    const auto queries = random_queries(random, heads, 2, 1);
    check_attention(heads, job, queries, of_kernel(heads, job, queries, 900), "long parts");
  }
  {  // the reference where the answer is known: equal keys weigh equally, and a query far from all but one key reads
     // that one's value
    RaggedHeads heads = ragged_heads(random, 32, 16, {4}, Rows::dense);
    heads.point();
    for (int token = 0; token < 4; ++token)
      for (int i = 0; i < 32; ++i) {
        heads.host.key(0, token)[i] = gpu::narrowed(1);
        heads.host.value(0, token)[i] = gpu::narrowed(static_cast<float>(token + i));
      }
    std::vector<std::uint16_t> queries(32, gpu::narrowed(1));
    auto out = of_reference(heads, {.group = 1, .scale = 1}, queries);
    for (int i = 0; i < 32; ++i)
      check(gpu::widened(out[static_cast<std::size_t>(i)]) == 1.5F + static_cast<float>(i), "equal keys weigh equally");
    heads.host.key(0, 2)[3] = gpu::narrowed(400);
    out = of_reference(heads, {.group = 1, .scale = 1}, queries);
    for (int i = 0; i < 32; ++i)
      check(gpu::widened(out[static_cast<std::size_t>(i)]) == 2 + static_cast<float>(i),
            "one key has all of the weight");
  }
  RaggedHeads odd = ragged_heads(random, 32, 16, {4}, Rows::dense);
  odd.point();
  check(!gpu::launch_attend_paged(odd.host, {.group = 0}, 4, nullptr, nullptr, nullptr), "no query heads are refused");
  return end();
}
