#include "core/experiments/model/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace kvantage::inline model_experiments {
namespace {

constexpr std::size_t tokens = 512, width = 64, tile = 32;
constexpr std::size_t one_token = 7, other_token = 300;  // those whose keys are swapped, as on the page

using Matrix = std::vector<double>;  // [tokens, width]

struct Attended {
  Matrix output;
  std::vector<double> collected;  // attention per key, over all queries
  std::size_t scores = 0;         // held at once, at most
};

Matrix normal_matrix(Random& random) {
  Matrix matrix(tokens * width);
  for (double& number : matrix) number = random.normal();
  return matrix;
}

double score(const Matrix& queries, std::size_t query, const Matrix& keys, std::size_t key) {
  double sum = 0;
  for (std::size_t d = 0; d < width; ++d) sum += queries[query * width + d] * keys[key * width + d];
  return sum / std::sqrt(static_cast<double>(width));
}

Attended attend_at_once(const Matrix& queries, const Matrix& keys, const Matrix& values) {
  std::vector<double> weights(tokens * tokens);
  Attended attended{Matrix(tokens * width), std::vector<double>(tokens), weights.size()};
  for (std::size_t q = 0; q < tokens; ++q) {
    double* row = &weights[q * tokens];
    for (std::size_t k = 0; k < tokens; ++k) row[k] = score(queries, q, keys, k);
    const double most = *std::max_element(row, row + tokens);
    double sum = 0;
    for (std::size_t k = 0; k < tokens; ++k) sum += row[k] = std::exp(row[k] - most);
    for (std::size_t k = 0; k < tokens; ++k) {
      attended.collected[k] += row[k] / sum;
      for (std::size_t d = 0; d < width; ++d) attended.output[q * width + d] += row[k] / sum * values[k * width + d];
    }
  }
  return attended;
}

/// Keeps a maximum, a denominator and an output per query; no attention is collected.
Attended attend_in_tiles(const Matrix& queries, const Matrix& keys, const Matrix& values) {
  Attended attended{Matrix(tokens * width), {}, 0};
  std::vector<TiledSoftmax> softmax(tokens);
  for (std::size_t begin = 0; begin < tokens; begin += tile) {
    std::vector<double> scores(tokens * tile);
    attended.scores = std::max(attended.scores, scores.size());
    for (std::size_t q = 0; q < tokens; ++q) {
      double* row = &scores[q * tile];
      for (std::size_t k = 0; k < tile; ++k) row[k] = score(queries, q, keys, begin + k);
      const double scale = softmax[q].add({row, tile});
      for (std::size_t d = 0; d < width; ++d) attended.output[q * width + d] *= scale;
      for (std::size_t k = 0; k < tile; ++k)
        for (std::size_t d = 0; d < width; ++d)
          attended.output[q * width + d] += row[k] * values[(begin + k) * width + d];
    }
  }
  for (std::size_t q = 0; q < tokens; ++q)
    for (std::size_t d = 0; d < width; ++d) attended.output[q * width + d] /= softmax[q].denominator;
  return attended;
}

double largest_difference(const Matrix& one, const Matrix& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) largest = std::max(largest, std::abs(one[i] - other[i]));
  return largest;
}

HotLogits compare_hot(Matrix queries, const Matrix& keys, const Matrix& values) {
  for (double& number : queries) number += hot_offset;
  const Matrix tiled = attend_in_tiles(queries, keys, values).output;
  HotLogits hot{.output_difference = largest_difference(attend_at_once(queries, keys, values).output, tiled)};
  std::vector<double> logits(tokens);
  for (std::size_t q = 0; q < tokens; ++q) {
    for (std::size_t k = 0; k < tokens; ++k) logits[k] = score(queries, q, keys, k);
    if (std::isfinite(denominator_without_maximum(logits))) continue;
    ++hot.overflows;
    const auto begin = tiled.begin() + static_cast<std::ptrdiff_t>(q * width);
    hot.finite += std::all_of(begin, begin + width, [](double number) { return std::isfinite(number); }) ? 1 : 0;
  }
  return hot;
}

}  // namespace

double TiledSoftmax::add(std::span<double> logits) {
  const double next = std::max(maximum, *std::max_element(logits.begin(), logits.end()));
  const double scale = std::exp(maximum - next);
  maximum = next;
  denominator *= scale;
  for (double& logit : logits) {
    logit = std::exp(logit - next);
    denominator += logit;
  }
  return scale;
}

double denominator_without_maximum(std::span<const double> logits) {
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  return sum;
}

SoftmaxComparison compare_softmax() {
  Random random(7);
  const Matrix queries = normal_matrix(random);
  Matrix keys = normal_matrix(random), values = normal_matrix(random);
  const Attended full = attend_at_once(queries, keys, values), tiled = attend_in_tiles(queries, keys, values);
  SoftmaxComparison comparison{.queries = tokens,
                               .keys = tokens,
                               .tile_keys = tile,
                               .full_scores = full.scores,
                               .tiled_scores = tiled.scores,
                               .output_difference = largest_difference(full.output, tiled.output)};
  comparison.hot = compare_hot(queries, keys, values);
  for (std::size_t d = 0; d < width; ++d) values[one_token * width + d] = values[other_token * width + d];
  const Attended before = attend_at_once(queries, keys, values);
  for (std::size_t d = 0; d < width; ++d) std::swap(keys[one_token * width + d], keys[other_token * width + d]);
  const Attended after = attend_at_once(queries, keys, values);
  comparison.swapped_output_difference = largest_difference(before.output, after.output);
  comparison.swapped_score_difference = std::abs(before.collected[one_token] - after.collected[one_token]);
  return comparison;
}

}  // namespace kvantage::inline model_experiments
