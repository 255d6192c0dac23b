// KVPR's decode-offload: the same outputs whatever is recomputed, those of attention over pages that never left, and
// every byte accounted for.
#include "gpu/offload/offloaded_layers.h"

#include "core/base/random.h"
#include "tests/gpu/gpu_check.h"

using namespace kvantage;
using namespace kvantage::test;

int main() {
  need_device();
  const gpu::OffloadShape shape{
      .layers = 3, .kv_heads = 3, .group = 1, .head_dim = 64, .hidden = 192, .tokens = 160, .page_tokens = 32};
  auto layers = value_of(gpu::OffloadedLayers::random(shape, 5));
  Random random(6);
  std::vector<std::uint16_t> queries(
      static_cast<std::size_t>(shape.layers * shape.kv_heads * shape.group * shape.head_dim));
  for (std::uint16_t& number : queries) number = gpu::narrowed(3 * static_cast<float>(random.normal()));

  std::vector<std::uint16_t> loaded, outputs;
  const gpu::OffloadStep load_only = value_of(layers.step(0, queries, loaded));
  const std::uint64_t pages = std::uint64_t{3} * 5 * shape.page_bytes();
  check(load_only.kv_bytes == pages && load_only.input_bytes == 0, "load-only ships every page and no input");
  check(load_only.seconds > 0 && load_only.recompute_seconds == 0, "load-only recomputes nothing");
  std::size_t differing = 0;
  for (std::size_t i = 1; i < loaded.size(); ++i) differing += loaded[i] != loaded[i - 1];
  check(differing > loaded.size() / 2, "outputs are numbers of their own");
  for (int recomputed = 32; recomputed <= shape.tokens; recomputed += 32) {
    const gpu::OffloadStep told = value_of(layers.step(recomputed, queries, outputs));
    const std::string what = std::to_string(recomputed) + " of 160 tokens recomputed";
    check(outputs == loaded, what + ": outputs bit for bit");
    check(told.input_bytes == std::uint64_t{3} * static_cast<std::uint64_t>(recomputed) * 192 * 2,
          what + ": bytes of inputs");
    check(told.kv_bytes == pages - std::uint64_t{3} * static_cast<std::uint64_t>(recomputed / 32) * shape.page_bytes(),
          what + ": bytes of keys and values");
    check(told.recompute_seconds > 0 && told.seconds > 0, what + ": takes time");
  }
  const RecomputeCosts costs = value_of(layers.profile(2));
  check(costs.input_seconds > 0 && costs.kv_seconds > 0 && costs.rest_seconds > 0, "a profile of every kind of work");
  check(!layers.step(33, queries, outputs), "half a page is refused");
  check(!layers.step(32, std::span(queries).first(3), outputs), "too few queries are refused");
  check(!gpu::OffloadedLayers::random({.tokens = 33}, 1), "a context of half a page is refused");
  return end();
}
