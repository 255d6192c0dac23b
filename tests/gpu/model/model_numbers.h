// How near a model on a device comes to core's. What is to be met is no number of ours but core's own distance: between
// its bf16 path, which the device follows, and its fp32 path of the same weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/model/sampling.h"
#include "core/model/transformer.h"
#include "tests/gpu/gpu_check.h"

namespace kvantage::test {

/// The largest and the mean difference of two lists of logits.
struct Distance {
  double largest = 0, sum = 0;
  std::size_t count = 0;

  void add(std::span<const float> a, std::span<const float> b) {
    check(a.size() == b.size(), "as many logits");
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      const double apart = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
      check(std::isfinite(apart), "logits are numbers");
      largest = std::max(largest, apart);
      sum += apart;
    }
    count += a.size();
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }

  /// Of core's bf16 products from fp32. A processor without bf16 computes them in fp32, so that nothing is apart: then
  /// these stand in; what was apart on such a processor was at most 0.21 (mean 0.035).
  Distance as_bf16() const { return largest > 0 ? *this : Distance{0.25, 0.04, 1}; }
};

/// Greedy tokens that agree, differ at a near tie, or differ.
struct Agreement {
  int same = 0, ties = 0, other = 0;

  /// `logits`: core's; a tie: the device's token is no further below core's best one than two logits may be off, each
  /// by `error`.
  void add(std::span<const float> logits, std::int32_t token, double error) {
    const std::int32_t best = greedy_token(logits);
    if (token == best)
      ++same;
    else if (static_cast<double>(logits[static_cast<std::size_t>(best)]) -
                 static_cast<double>(logits[static_cast<std::size_t>(token)]) <=
             2 * error)
      ++ties;
    else
      ++other;
  }
};

inline std::unique_ptr<Transformer> loaded(const std::filesystem::path& folder, std::optional<ComputeType> compute) {
  LoadOptions options;
  options.compute = compute;
  options.kv_type = KvType::bf16;
  return value_of(Transformer::load(folder, options));
}

/// A host cache and its pool.
struct HostCache {
  BlockPool pool;
  KvCache cache;
  explicit HostCache(const Transformer& model) : pool(model.kv_shape(), 32, std::size_t{256} << 20), cache(pool) {}
};

inline std::vector<float> core_prefill(Transformer& model, KvCache& cache, const std::vector<std::int32_t>& tokens,
                                       PrefillLogits logits) {
  PrefillOptions options;
  options.logits = logits;
  PrefillTask task(model, cache, tokens, cache.sequence_length(), options);
  must(task.run());
  return {task.logits().begin(), task.logits().end()};
}

inline std::vector<float> core_decode(Transformer& model, KvCache& cache, std::int32_t token) {
  std::vector<float> logits(static_cast<std::size_t>(model.config().vocab_size));
  must(model.decode(cache, token, cache.sequence_length(), logits));
  return logits;
}

}  // namespace kvantage::test
