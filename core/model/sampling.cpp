#include "core/model/sampling.h"

#include <algorithm>
#include <array>
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

Status check_logits(std::span<const float> logits) {
  bool finite = true;  // all of them, without a branch: this is done for every token
  for (const float logit : logits) finite &= std::abs(logit) <= std::numeric_limits<float>::max();
  if (finite) return {};
  return fail(ErrorCode::rejected_input, "logits are not finite; fetch the checkpoint again");
}

std::int32_t greedy_token(std::span<const float> logits) {
  // The largest of each block, in lanes that compilers compare together. Nothing is larger than a broken model's NaN,
  // which is larger than nothing.
  constexpr std::size_t block = 512, lanes = 16;
  constexpr float least = -std::numeric_limits<float>::infinity();
  float largest = least;
  std::size_t begin = 0;  // of the first block with it
  for (std::size_t first = 0; first < logits.size(); first += block) {
    const auto part = logits.subspan(first, std::min(block, logits.size() - first));
    std::array<float, lanes> best;
    best.fill(least);
    std::size_t i = 0;
    for (; i + lanes <= part.size(); i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        best[lane] = part[i + lane] > best[lane] ? part[i + lane] : best[lane];
    for (; i < part.size(); ++i) best[0] = part[i] > best[0] ? part[i] : best[0];
    if (const float of_block = *std::ranges::max_element(best); of_block > largest) {
      largest = of_block;
      begin = first;
    }
  }
  const auto rest = logits.subspan(begin);
  const std::size_t index = begin + static_cast<std::size_t>(std::ranges::find(rest, largest) - rest.begin());
  return static_cast<std::int32_t>(index < logits.size() || index == 0 ? index : index - 1);  // of NaN alone the last
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
