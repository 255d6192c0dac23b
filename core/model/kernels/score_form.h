// What some architectures do to attention scores.
#pragma once

#include <cstdint>

namespace kvantage::inline model_kernels {

/// log2(e): inside the kernels, scores are exponents of two.
inline constexpr double score_unit = 1.4426950408889634;

/// All in exponents of two.
struct ScoreForm {
  float cap = 0;                         // scores become cap * tanh(score / cap); 0: they stay
  const std::int32_t* begins = nullptr;  // prefill: [chunk] first row that a query sees, ascending; null: row 0
  const float* sinks = nullptr;          // prefill: [group] one more score per query, without a value; null: none
};

}  // namespace kvantage::inline model_kernels
