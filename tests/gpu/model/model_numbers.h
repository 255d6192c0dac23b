// How near a model on a device comes to core's. What is to be met is no number of ours but core's own distance: between
// its bf16 path, which the device follows, and its fp32 path of the same weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/model/sampling.h"
#include "core/model/transformer.h"
#include "tests/gpu/gpu_check.h"

namespace kvantage::test {

inline std::vector<std::int32_t> random_tokens(Random& random, std::size_t count, int vocab) {
  std::vector<std::int32_t> tokens(count);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocab)));
  return tokens;
}

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

/// Core's answer in bf16, whose tokens core in fp32 and a device follow.
class LedAnswer {
 public:
  LedAnswer(Transformer& model, KvCache& cache, Transformer& wide, KvCache& wide_cache)
      : model_(model), wide_(wide), cache_(cache), wide_cache_(wide_cache) {}

  /// `got`: the device's logits of all tokens. Their distance from fp32.
  Distance prefill(const std::vector<std::int32_t>& tokens, const std::vector<float>& got) {
    const auto expected = core_prefill(model_, cache_, tokens, PrefillLogits::all),
               exact = core_prefill(wide_, wide_cache_, tokens, PrefillLogits::all);
    own_.add(expected, exact);
    Distance there;
    there.add(got, exact);
    const auto width = static_cast<std::size_t>(model_.config().vocab_size);
    last_.assign(expected.end() - static_cast<std::ptrdiff_t>(width), expected.end());
    choose(greedy_token(std::span(got).last(width)));
    return there;
  }
  std::int32_t next_token() const { return greedy_token(last_); }
  /// The logits in fp32.
  std::vector<float> decode(std::int32_t token) {
    last_ = core_decode(model_, cache_, token);
    auto exact = core_decode(wide_, wide_cache_, token);
    own_.add(last_, exact);
    return exact;
  }
  /// The device's token behind those so far.
  void choose(std::int32_t token) { chosen_.emplace_back(last_, token); }

  /// Of bf16 from fp32.
  const Distance& own() const { return own_; }
  Agreement agreement() const {
    Agreement all;
    for (const auto& [logits, token] : chosen_) all.add(logits, token, own_.largest);
    return all;
  }

 private:
  Transformer &model_, &wide_;
  KvCache &cache_, &wide_cache_;
  Distance own_;
  std::vector<float> last_;                                          // core's, in bf16
  std::vector<std::pair<std::vector<float>, std::int32_t>> chosen_;  // core's logits, the device's token
};

}  // namespace kvantage::test
