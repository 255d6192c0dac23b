// The page's second wall on random numbers: attention that holds all scores, and attention over tiles of keys as fused
// kernels compute it, which holds those of one tile.
#pragma once

#include <cstddef>

namespace kvantage::inline model_experiments {

struct SoftmaxComparison {
  std::size_t queries = 0, keys = 0, tile_keys = 0;
  std::size_t full_scores = 0, tiled_scores = 0;  // held at once, at most
  double output_difference = 0;                   // the largest between the two
  // Two caches that differ in the keys of two tokens of equal values, which are swapped.
  double swapped_output_difference = 0;  // the largest between their outputs
  double swapped_score_difference = 0;   // of the attention that one of the tokens collects
};

/// The page's sizes: 512 queries and keys of 64 numbers, tiles of 32 keys; in fp64, from a fixed seed.
SoftmaxComparison compare_softmax();

}  // namespace kvantage::inline model_experiments
