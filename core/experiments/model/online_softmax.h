// The page's second wall on random numbers: attention that holds all scores, and attention over tiles of keys as fused
// kernels compute it, which holds those of one tile.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace kvantage::inline model_experiments {

/// The softmax of one query while its logits arrive in tiles (Milakov and Gimelshein 2018).
struct TiledSoftmax {
  double maximum = -std::numeric_limits<double>::infinity();
  double denominator = 0;  // of weights exp(logit - maximum)

  /// Turns the logits of the next tile into weights. Returns the factor for what was summed with the former maximum.
  double add(std::span<double> logits);
};
/// The denominator of a softmax that subtracts no maximum: in fp64 infinite for logits above 709.
double denominator_without_maximum(std::span<const double> logits);

/// With a number added to every query, which drives logits past the largest exponent of fp64.
struct HotLogits {
  std::size_t overflows = 0;     // queries whose softmax without a maximum has no finite denominator
  std::size_t finite = 0;        // of those, queries whose output in tiles is finite
  double output_difference = 0;  // the largest between full matrix and tiles
};

struct SoftmaxComparison {
  std::size_t queries = 0, keys = 0, tile_keys = 0;
  std::size_t full_scores = 0, tiled_scores = 0;  // held at once, at most
  double output_difference = 0;                   // the largest between the two
  // Two caches that differ in the keys of two tokens of equal values, which are swapped.
  double swapped_output_difference = 0;  // the largest between their outputs
  double swapped_score_difference = 0;   // of the attention that one of the tokens collects
  HotLogits hot = {};
};

/// What the page adds to every number of the queries in its third fact.
inline constexpr double hot_offset = 400;

/// The page's sizes: 512 queries and keys of 64 numbers, tiles of 32 keys; in fp64, from a fixed seed.
SoftmaxComparison compare_softmax();

}  // namespace kvantage::inline model_experiments
