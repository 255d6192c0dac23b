#include "core/model/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kvantage::inline model {

Status check_sampling(const SamplingOptions& options) {
  if (!(options.temperature >= 0 && options.temperature <= 100))
    return fail(ErrorCode::usage, "temperature: must be from 0 to 100; 0 is greedy");
  if (options.top_k < 0) return fail(ErrorCode::usage, "top_k: must not be negative; 0 keeps all tokens");
  if (!(options.top_p > 0 && options.top_p <= 1))
    return fail(ErrorCode::usage, "top_p: must be above 0 and at most 1; 1 keeps all tokens");
  return {};
}

std::int32_t greedy_token(std::span<const float> logits) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < logits.size(); ++i)
    if (logits[i] > logits[best] || std::isnan(logits[best])) best = i;
  return static_cast<std::int32_t>(best);
}

std::int32_t Sampler::next(std::span<const float> logits) {
  if (options_.temperature <= 0) return greedy_token(logits);
  order_.resize(logits.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto value = [&](std::int32_t id) {  // NaN of a broken model must not break the sort
    const float logit = logits[static_cast<std::size_t>(id)];
    return std::isnan(logit) ? std::numeric_limits<float>::lowest() : logit;
  };
  const auto larger = [&](std::int32_t a, std::int32_t b) {
    const float x = value(a), y = value(b);
    return x > y || (x == y && a < b);
  };
  if (options_.top_k > 0 && static_cast<std::size_t>(options_.top_k) < order_.size()) {
    std::partial_sort(order_.begin(), order_.begin() + options_.top_k, order_.end(), larger);
    order_.resize(static_cast<std::size_t>(options_.top_k));
  } else {
    std::ranges::sort(order_, larger);
  }

  probability_.clear();
  const double largest = static_cast<double>(value(order_.front()));
  double total = 0;
  for (std::int32_t id : order_) {
    probability_.push_back(std::exp((static_cast<double>(value(id)) - largest) / options_.temperature));
    total += probability_.back();
  }
  // The smallest prefix of the list whose probability reaches top_p.
  double kept = 0;
  std::size_t count = 0;
  while (count < probability_.size() && (count == 0 || kept < options_.top_p * total)) kept += probability_[count++];

  double draw = random_.uniform() * kept;
  for (std::size_t i = 0; i < count; ++i) {
    draw -= probability_[i];
    if (draw < 0) return order_[i];
  }
  return order_[count - 1];
}

}  // namespace kvantage::inline model
