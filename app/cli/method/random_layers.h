// A made-up context for scorers: keys, values and all else that a method file may ask for, in a cache of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/compress/method.h"

namespace kvantage::cli {

/// Sizes of a context; every KV head has `group` query heads.
struct RandomShape {
  int layers = 2, kv_heads = 3, group = 2, head_dim = 32, tokens = 300;
  KvType type = KvType::fp32;
};

class RandomLayers {
 public:
  /// Numbers are normal, of unit variance, times `scale`. order: which KV head of the same context without an order is
  /// in each place; empty: as they are. tokens: the first so many of a context of shape.tokens; 0: all.
  explicit RandomLayers(const RandomShape& shape, double scale = 1, const std::vector<int>& order = {}, int tokens = 0);

  const KvCache& cache() const { return cache_; }
  const Observation& observed() const { return observed_; }

 private:
  BlockPool pool_;
  KvCache cache_{pool_};
  Observation observed_;
};

}  // namespace kvantage::cli
