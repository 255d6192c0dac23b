// KVPR's decode-offload over the bus of a GPU, on an MHA shape: what a step takes with none, some, the solved share and
// all of the context recomputed, beside the prediction, and what link and device were busy with. The widths of
// OPT-6.7B and OPT-13B with some of their layers, as layers are alike and their context is pinned memory; or one shape
// by arguments: tokens (8,192), hidden (4,096), layers (8).
#include <algorithm>
#include <cstdlib>

#include "core/base/random.h"
#include "gpu/kernels/timing.h"
#include "gpu/offload/offloaded_layers.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// By how much a step's latency is reduced in the paper, in percent.
constexpr double paper_min = 10.5, paper_max = 35.8;

gpu::OffloadShape shape_of(int tokens, int hidden, int layers) {
  return {.layers = layers,
          .kv_heads = hidden / 128,
          .group = 1,
          .head_dim = 128,
          .hidden = hidden,
          .tokens = tokens,
          .page_tokens = 32};
}

void measure(const gpu::OffloadShape& shape, const std::string& name) {
  auto layers = value_of(gpu::OffloadedLayers::random(shape, 1));
  Random random(2);
  std::vector<std::uint16_t> queries(static_cast<std::size_t>(shape.layers * shape.hidden));
  for (std::uint16_t& number : queries) number = gpu::narrowed(static_cast<float>(random.normal()));

  const RecomputeCosts costs = value_of(layers.profile(5));
  const RecomputeSplit split = solve_split(costs, shape.tokens, shape.tokens, shape.page_tokens);
  const double page_rate = static_cast<double>(shape.page_bytes()) / shape.page_tokens / costs.kv_seconds,
               input_rate = 2.0 * shape.hidden / costs.input_seconds;
  std::printf("\n%s%d layers, %d heads of 128 (MHA), hidden %d, %d tokens offloaded to pinned memory\n", name.c_str(),
              shape.layers, shape.kv_heads, shape.hidden, shape.tokens);
  std::printf(
      "keys and values cross at %.2f GB/s, layer inputs at %.2f GB/s; recomputed: %.2f Mtokens/s a layer; attention "
      "%.3f ms a layer\n",
      page_rate / 1e9, input_rate / 1e9, 1e-6 / costs.recompute_seconds, costs.rest_seconds * 1e3);
  std::printf("%22s %10s %10s %10s %10s %8s\n", "recomputed", "step, ms", "predicted", "link busy", "device busy",
              "MB");
  std::vector<std::uint16_t> loaded, outputs;
  double load_only = 0, recompute_only = 0, solved = 0;
  std::vector<int> splits;
  for (int eighth = 0; eighth <= 8; ++eighth) splits.push_back(shape.pages() * eighth / 8 * shape.page_tokens);
  splits.push_back(split.recomputed_tokens);
  for (const int tokens : splits) {
    gpu::OffloadStep best;
    for (int round = 0; round < 7; ++round) {
      const gpu::OffloadStep told = value_of(layers.step(tokens, queries, outputs));
      if (loaded.empty()) loaded = outputs;
      check(outputs == loaded, "outputs are those of load-only, bit for bit");
      if (round > 0 && (best.seconds == 0 || told.seconds < best.seconds)) best = told;  // the first one warms up
    }
    // Layers overlap: the first one's transfers and the last one's computing stand alone.
    const double predicted =
        costs.seconds(tokens, shape.tokens) * shape.layers +
        std::min(costs.link_seconds(tokens, shape.tokens), costs.compute_seconds(tokens) + costs.rest_seconds);
    std::printf("%8d %6.1f %%%s %10.3f %10.3f %8.0f %% %8.0f %% %8.1f\n", tokens, 100.0 * tokens / shape.tokens,
                tokens == split.recomputed_tokens ? " solved" : "       ", best.seconds * 1e3, predicted * 1e3,
                100 * best.link_seconds / best.seconds,
                100 * (best.recompute_seconds + best.attend_seconds) / best.seconds,
                static_cast<double>(best.input_bytes + best.kv_bytes) / 1e6);
    if (tokens == 0) load_only = best.seconds;
    if (tokens == shape.tokens) recompute_only = best.seconds;
    if (tokens == split.recomputed_tokens) solved = best.seconds;
  }
  std::printf("solved split against load-only: %.2f times as fast; against recomputing all: %.2f\n", load_only / solved,
              recompute_only / solved);
  std::printf("a step takes %.1f %% less than load-only; in the paper %.1f to %.1f %%\n",
              100 * (1 - solved / load_only), paper_min, paper_max);
  check(solved < load_only, "the solved split is faster than loading all");
}

}  // namespace

int main(int count, char** arguments) {
  need_device();
  const auto argument = [&](int at, int otherwise) { return count > at ? std::atoi(arguments[at]) : otherwise; };
  const gpu::OffloadShape asked = shape_of(argument(1, 8192), argument(2, 4096), argument(3, 8));
  if (asked.tokens < 64 || asked.kv_heads < 1 || asked.layers < 2)
    return std::printf("usage: %s [tokens, whole pages of 32] [hidden, from 128] [layers, from 2]\n", arguments[0]), 2;
  std::printf("%s\n", gpu::device_name().c_str());
  if (count > 1) {
    measure(asked, "");
  } else {
    measure(shape_of(8192, 4096, 8), "OPT-6.7B, 8 of its 32 layers: ");
    measure(shape_of(8192, 5120, 8), "OPT-13B, 8 of its 40 layers: ");
  }
  return end();
}
