// Choosing the next token from logits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace kvantage::inline model {

struct SamplingOptions {
  double temperature = 0.0;  // 0: greedy, the largest logit (ties: the smallest id)
  int top_k = 0;             // 0: all
  double top_p = 1.0;        // the smallest set of tokens whose probability reaches top_p
  std::uint64_t seed = 0;
};

/// usage error that names the field of an invalid value.
Status check_sampling(const SamplingOptions& options);

/// rejected_input where a logit is infinite or not a number, as those of a damaged checkpoint: any token would do.
Status check_logits(std::span<const float> logits);

/// Index of the largest logit; ties: the smallest index.
std::int32_t greedy_token(std::span<const float> logits);

/// Draws tokens; the same seed and logits give the same tokens on every machine.
class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}
  std::int32_t next(std::span<const float> logits);

 private:
  SamplingOptions options_;
  Random random_;
  std::vector<std::int32_t> order_;  // scratch: candidate ids
  std::vector<double> probability_;  // scratch
};

}  // namespace kvantage::inline model
