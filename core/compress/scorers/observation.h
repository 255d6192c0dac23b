// What a model run provides to scorers besides keys and values. A scorer declares its needs; nothing else is computed
// or kept. Queries of the last tokens are stored with originals; everything else is observed again when needed
// (observe.h), at the cost of a prefill.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/kv/serial.h"

namespace kvantage::inline scorers {

inline constexpr int every_query = INT_MAX;  // ObservationNeeds::window_queries: of all tokens of the context

struct ObservationNeeds {
  int window_queries = 0;      // queries of the last tokens
  bool repeat_pass = false;    // the model repeats the context with the context in its cache (KVzip)
  bool calibration = false;    // mean queries over a calibration text (TriAttention)
  bool hidden_states = false;  // inputs of every layer's attention, of all tokens
  bool output_norms = false;   // norms of what each value adds to its layer's output

  void include(const ObservationNeeds& other) {
    window_queries = std::max(window_queries, other.window_queries);
    repeat_pass |= other.repeat_pass;
    calibration |= other.calibration;
    hidden_states |= other.hidden_states;
    output_norms |= other.output_norms;
  }
};

/// A part [first, last) of the context that the model repeated: queries and keys, after RoPE, of the `rows` tokens of
/// the repeat prompt and of the part itself.
struct RepeatChunk {
  int first = 0, last = 0;
  int rows = 0;
  std::vector<std::vector<float>> queries;  // per layer [heads, rows, head_dim]
  std::vector<std::vector<float>> keys;     // per layer [kv_heads, rows, head_dim]
  // Euclidean norms of the hidden states, per layer [rows]; empty where a device computed the model.
  std::vector<std::vector<float>> hidden_norms = {};
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

/// Normed inputs of the attention of each layer (what its query, key and value projections multiply), as computed in
/// the model's compute type.
struct HiddenStates {
  int hidden = 0;                          // numbers of one token
  std::vector<std::vector<float>> layers;  // per layer [tokens, hidden]
  bool empty() const { return layers.empty(); }
};

/// Norms of what a value adds to the output of its layer's attention, W_o v, for each query head that reads it.
struct OutputNorms {
  struct Layer {
    std::vector<float> absolute, euclidean;  // L1 and L2, [heads, tokens]
  };
  std::vector<Layer> layers;
  bool empty() const { return layers.empty(); }
};

/// How vectors of a head that somebody has computed with transformers, and keeps in a file, become those here.
struct FileVectors {
  std::vector<std::int32_t> channels;             // [head_dim], of each channel its place in the file; empty: the same
  std::vector<std::vector<float>> query_factors;  // [layers][head_dim], of queries before RoPE; empty: 1
  std::string latent_model;                       // not empty: this model's keys have no order of their own in files
};

/// How the layers of the model differ from each other, and from files.
struct LayerForms {
  std::vector<std::int32_t> windows;            // [layers], ModelConfig::windows()
  std::vector<std::vector<float>> frequencies;  // [layers][head_dim/2]; empty: Observation::frequencies in every layer
  FileVectors files;
};

struct Observation {
  WindowQueries queries;
  std::vector<RepeatChunk> repeat;
  QueryMeans calibration;
  std::vector<float> frequencies;  // radians per position of each channel pair, [head_dim/2]
  HiddenStates hidden_states = {};
  OutputNorms output_norms = {};
  LayerForms forms = {};

  /// Whether this suffices to score a context of `tokens` tokens.
  bool meets(const ObservationNeeds& needs, int tokens) const {
    return queries.window >= std::min(needs.window_queries, tokens) && !(needs.repeat_pass && repeat.empty()) &&
           !(needs.calibration && calibration.empty()) && !(needs.hidden_states && hidden_states.empty()) &&
           !(needs.output_norms && output_norms.empty());
  }
  /// Bytes of all data here, of the context and of the calibration.
  std::size_t bytes() const;
};

}  // namespace kvantage::inline scorers
