// The interface of a scoring method: one pure function from the view of a layer to scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/compress/scorers/observation.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline scorers {

/// Data to gather for a scorer, besides the heads in the pool.
struct ScorerNeeds {
  bool keys = false;
  bool values = false;
  bool positions = false;
  int window_queries = 0;  // queries of the last tokens, or every_query
  bool repeat_pass = false;
  bool calibration = false;

  ObservationNeeds observation() const { return {window_queries, repeat_pass, calibration}; }
};

/// One layer of a cache, fp32. Rows are the kept tokens, ascending by original position.
struct LayerView {
  /// A part of the context, repeated by the model.
  struct Repeat {
    int first = 0, last = 0;  // tokens repeated
    at::Tensor queries;       // [kv_heads, group, rows, head_dim], after RoPE
    at::Tensor keys;          // [kv_heads, rows, head_dim], after RoPE
  };
  int layer = 0;
  int kv_heads = 0;
  int tokens = 0;               // per KV head
  int sequence_length = 0;      // tokens ever seen: the position of the next one
  std::vector<HeadView> heads;  // [kv_heads], rows in the pool for row_math.h; always
  at::Tensor keys;              // [kv_heads, tokens, head_dim], after RoPE; if needed
  at::Tensor values;            // [kv_heads, tokens, head_dim]; if needed
  at::Tensor queries;           // [kv_heads, group, window, head_dim], after RoPE, of the last tokens; if needed
  at::Tensor positions;         // [kv_heads, tokens], int32, original; if needed
  at::Tensor frequencies;       // [head_dim/2], radians per position
  std::vector<Repeat> repeat;
  at::Tensor mean_queries;     // [kv_heads, group, head_dim/2], complex, before RoPE, over a calibration text
  at::Tensor mean_magnitudes;  // [kv_heads, group, head_dim/2], mean of the absolute values
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual ScorerNeeds needs() const = 0;
  /// Scores [kv_heads, tokens], fp32, larger = keep.
  virtual at::Tensor score(const LayerView& view) const = 0;
  /// Bytes of attention weights (or pairwise key similarities) in memory while this layer is scored; 0 where none are
  /// computed.
  virtual std::size_t score_buffer_bytes(const LayerView& /*view*/) const { return 0; }
};

/// Gathers the data of `needs`. rejected_input as Method::scores().
Expected<LayerView> view_layer(const KvCache& cache, int layer, const Observation& observed, const ScorerNeeds& needs);

/// For scorers that rank by position only: one row of scores for all KV heads -> [kv_heads, tokens].
at::Tensor same_for_all_heads(const LayerView& view, std::vector<float> scores);

/// Scores written per head, on as many threads as the model computes with -> [kv_heads, tokens].
at::Tensor score_heads(const LayerView& view,
                       const std::function<void(std::size_t head, std::span<float> scores)>& score);

/// Attention of rows of queries to the keys of one KV head: softmax(Q K^T / sqrt(d) + causal).
/// queries [group, rows, head_dim] of the last `rows` tokens, keys [tokens, head_dim] -> [group, rows, tokens].
at::Tensor window_attention(const at::Tensor& queries, const at::Tensor& keys);

/// Undoes the rotation of keys or queries [.., tokens, head_dim] at `positions` [tokens] (or broadcastable): their
/// values before RoPE.
at::Tensor before_rope(const at::Tensor& rotated, const at::Tensor& positions, const at::Tensor& frequencies);

}  // namespace kvantage::inline scorers
