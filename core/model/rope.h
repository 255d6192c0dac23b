// Angles of the rotary position embedding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kvantage::inline model {

/// Cosines and sines of a run of positions: each [tokens, head_dim / 2].
struct RopeTable {
  std::vector<float> cosines;
  std::vector<float> sines;
};

/// The table of positions first, first + 1, ..., first + tokens - 1.
void fill_rope_table(std::span<const float> frequencies, std::int32_t first, int tokens, RopeTable& table);

}  // namespace kvantage::inline model
