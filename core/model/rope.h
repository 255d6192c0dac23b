// Angles of the rotary position embedding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/config.h"

namespace kvantage::inline model {

/// Cosines and sines of a run of positions: each [tokens, head_dim / 2].
struct RopeTable {
  std::vector<float> cosines;
  std::vector<float> sines;
};

/// Of all layers, and of those with a rotation of their own.
struct RopeTables {
  RopeTable all, local;
};

/// Where channel `channel` of a head is in files, whose first `rotated` channels are rotated in pairs (i, i + rotated /
/// 2): here these are the first of the pairs (i, i + head_dim / 2), and the others are behind them.
int stored_channel(int head_dim, int rotated, int channel);

/// Radians per position of layers with local_rope: [head_dim / 2]; empty: there are none.
std::vector<float> local_rope_frequencies(const ModelConfig& config);

/// Of a model whose layers rotate by different angles: [layers][head_dim / 2], zeros where a layer rotates nothing.
/// Empty: they rotate alike.
std::vector<std::vector<float>> frequencies_of_layers(const ModelConfig& config);

/// The rotations of a model.
struct Rotations {
  Rotations() = default;
  explicit Rotations(const ModelConfig& config);
  /// The tables of positions first, first + 1, ..., first + tokens - 1.
  void fill(std::int32_t first, int tokens, RopeTables& tables) const;

  std::vector<float> frequencies;        // [head_dim / 2]
  std::vector<float> local_frequencies;  // [head_dim / 2] or empty
  float scale = 1;                       // of cosines and sines of the first scaled_pairs of `frequencies`
  int scaled_pairs = 0;
};

/// The table of a layer's positions; null: it rotates nothing.
const RopeTable* table_of(const RopeTables& tables, const LayerForm& layer);

/// The table of positions first, first + 1, ..., first + tokens - 1.
void fill_rope_table(std::span<const float> frequencies, std::int32_t first, int tokens, RopeTable& table);

}  // namespace kvantage::inline model
