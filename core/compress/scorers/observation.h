// What a model run provides to scorers besides keys and values. A scorer declares its needs; nothing else is computed
// or kept. Queries of the last tokens are stored with originals; everything else is observed again when needed
// (observe.h), at the cost of a prefill.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <vector>

#include "core/base/digest.h"
#include "core/kv/serial.h"

namespace kvantage::inline scorers {

inline constexpr int every_query = INT_MAX;  // ObservationNeeds::window_queries: of all tokens of the context

struct ObservationNeeds {
  int window_queries = 0;    // queries of the last tokens
  bool repeat_pass = false;  // the model repeats the context with the context in its cache (KVzip)
  bool calibration = false;  // mean queries over a calibration text (TriAttention)

  void include(const ObservationNeeds& other) {
    window_queries = std::max(window_queries, other.window_queries);
    repeat_pass |= other.repeat_pass;
    calibration |= other.calibration;
  }
};

/// A part [first, last) of the context that the model repeated: queries and keys, after RoPE, of the `rows` tokens of
/// the repeat prompt and of the part itself.
struct RepeatChunk {
  int first = 0, last = 0;
  int rows = 0;
  std::vector<std::vector<float>> queries;  // per layer [heads, rows, head_dim]
  std::vector<std::vector<float>> keys;     // per layer [kv_heads, rows, head_dim]
};

/// Means over a text of the queries before RoPE, as complex numbers q[f] + i q[f + head_dim/2] of each pair f.
struct QueryMeans {
  struct Layer {
    std::vector<float> real, imaginary;  // of the mean, [heads, head_dim/2]
    std::vector<float> magnitude;        // mean of the absolute value, [heads, head_dim/2]
  };
  std::vector<Layer> layers;
  Digest128 model = {};  // ModelRuntime::digest() of the model that computed them
  bool empty() const { return layers.empty(); }
};

struct Observation {
  WindowQueries queries;
  std::vector<RepeatChunk> repeat;
  QueryMeans calibration;
  std::vector<float> frequencies;  // radians per position of each channel pair, [head_dim/2]

  /// Whether this suffices to score a context of `tokens` tokens.
  bool meets(const ObservationNeeds& needs, int tokens) const {
    return queries.window >= std::min(needs.window_queries, tokens) && !(needs.repeat_pass && repeat.empty()) &&
           !(needs.calibration && calibration.empty());
  }
  /// Bytes of all data here, of the context and of the calibration.
  std::size_t bytes() const;
};

}  // namespace kvantage::inline scorers
