// SnapKV: the kernels against their reference, the reference against the whole matrix of attention and means taken over
// it.
#include "gpu/kernels/score_snapkv.h"

#include "tests/gpu/kernels/ragged_heads.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<std::uint16_t> random_queries(Random& random, const RaggedHeads& heads, const gpu::SnapKv& job,
                                          float spread) {
  std::vector<std::uint16_t> queries(
      static_cast<std::size_t>(heads.host.heads * job.group * job.window * heads.host.head_dim));
  for (std::uint16_t& number : queries) number = gpu::narrowed(spread * static_cast<float>(random.normal()));
  return queries;
}

std::vector<float> of_kernel(const RaggedHeads& heads, gpu::SnapKv job, const std::vector<std::uint16_t>& queries) {
  const auto there = heads.on_device();
  const auto queries_there = value_of(gpu::DeviceArray<std::uint16_t>::of(queries));
  job.queries = queries_there.data();
  const auto scores =
      value_of(gpu::DeviceArray<float>::of(std::vector<float>(static_cast<std::size_t>(heads.total()), -7.0F)));
  const auto scratch = value_of(gpu::DeviceArray<float>::of(
      std::vector<float>(gpu::snapkv_scratch(heads.host, job, heads.longest(), heads.total()), NAN)));
  must(gpu::launch_score_snapkv(there.heads, job, heads.longest(), heads.total(), scratch.data(), scores.data(),
                                nullptr));
  must(gpu::synchronize());
  return value_of(scores.numbers());
}

std::vector<float> of_reference(const RaggedHeads& heads, gpu::SnapKv job, const std::vector<std::uint16_t>& queries) {
  job.queries = queries.data();
  std::vector<float> scores(static_cast<std::size_t>(heads.total()), -7.0F);
  gpu::score_snapkv_reference(heads.host, job, scores.data());
  return scores;
}

/// kept tokens of one head, mean pool: attention [group, window, kept] as a whole, zeros where the mask is; then each
/// score as one mean.
std::vector<float> of_matrix(const RaggedHeads& heads, const gpu::SnapKv& job,
                             const std::vector<std::uint16_t>& queries) {
  const int kept = heads.kept[0], dim = heads.host.head_dim, window = job.window;
  std::vector<long double> attention(static_cast<std::size_t>(job.group * window * kept));
  const auto at = [&](int g, int w, int t) -> long double& {
    return attention[static_cast<std::size_t>((g * window + w) * kept + t)];
  };
  for (int g = 0; g < job.group; ++g)
    for (int w = 0; w < window; ++w) {
      long double sum = 0;
      for (int t = 0; t <= kept - window + w; ++t) {
        long double product = 0;
        for (int i = 0; i < dim; ++i)
          product +=
              static_cast<long double>(gpu::widened(queries[static_cast<std::size_t>((g * window + w) * dim + i)])) *
              static_cast<long double>(gpu::widened(heads.host.key(0, t)[i]));
        sum += at(g, w, t) = std::exp(product / std::sqrt(static_cast<long double>(dim)));
      }
      for (int t = 0; t < kept; ++t) at(g, w, t) /= sum;
    }
  std::vector<float> scores;
  float top = 0;
  for (int t = 0; t < kept - window; ++t) {
    long double sum = 0;
    for (int shift = -(job.kernel / 2); shift <= job.kernel / 2; ++shift)
      for (int g = 0; g < job.group; ++g)
        for (int w = 0; w < window; ++w)
          if (t + shift >= 0 && t + shift < kept - window) sum += at(g, w, t + shift);
    scores.push_back(static_cast<float>(sum / static_cast<long double>(job.kernel * job.group * window)));
    top = std::max(top, scores.back());
  }
  scores.resize(static_cast<std::size_t>(kept), top + 1);
  return scores;
}

}  // namespace

int main() {
  need_device();
  Random random(15);
  const gpu::SnapKv jobs[] = {{.group = 1, .window = 8, .kernel = 5, .layer_heads = 6},
                              {.group = 4, .window = 32, .kernel = 7, .layer_heads = 3, .pool = gpu::Pool::maximum},
                              {.group = 2, .window = 45, .kernel = 1, .layer_heads = 2},
                              {.group = 5, .window = 17, .kernel = 63, .layer_heads = 1}};
  std::size_t turn = 0;
  // Sums of powers in fp32 and products in tensor cores, whose order is theirs: a few parts in a million.
  for_ragged_shapes(random, [&](const RaggedHeads& heads, const std::string& shape) {
    const gpu::SnapKv& job = jobs[turn++ % 4];
    const auto queries =
        random_queries(random, heads, job, turn % 3 == 0 ? 12.0F : 1.0F);  // 12: some rows pay one token nearly all
    check_close(of_kernel(heads, job, queries), of_reference(heads, job, queries), 3e-5F, 1e-9F,
                "attention paid, " + shape);
  });

  for (const int head_dim : {80, 256}) {  // padded, and one tile of rows per warp
    RaggedHeads heads = ragged_heads(random, head_dim, 16, {130, 0, 77}, Rows::holes);
    heads.point();
    const gpu::SnapKv job{.group = 2, .window = 20, .kernel = 5, .layer_heads = 3};
    const auto queries = random_queries(random, heads, job, 1.0F);
    check_close(of_kernel(heads, job, queries), of_reference(heads, job, queries), 3e-5F, 1e-9F,
                "head_dim " + std::to_string(head_dim));
  }
  {  // so many heads that each is few parts, of several tiles: both buffers are used again
    std::vector<int> kept(200, 3);
    kept[7] = 700;
    RaggedHeads heads = ragged_heads(random, 32, 16, kept, Rows::dense);
    heads.point();
    const gpu::SnapKv job{.group = 1, .window = 130, .kernel = 3, .layer_heads = 8};
    const auto queries = random_queries(random, heads, job, 1.0F);
    check_close(of_kernel(heads, job, queries), of_reference(heads, job, queries), 3e-5F, 1e-9F, "long parts");
  }
  RaggedHeads one = ragged_heads(random, 64, 16, {60}, Rows::scrambled);
  one.point();
  const gpu::SnapKv job{.group = 3, .window = 11, .kernel = 9};
  const auto queries = random_queries(random, one, job, 1.5F);
  check_close(of_reference(one, job, queries), of_matrix(one, job, queries), 1e-6F, 0, "the reference's attention");
  check(!gpu::launch_score_snapkv(one.host, {.kernel = 4}, 60, 60, nullptr, nullptr, nullptr),
        "an even kernel is refused");
  return end();
}
