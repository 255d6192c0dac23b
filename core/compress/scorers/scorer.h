// What a method's file implements: one pure function from the view of a layer to scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/compress/scorers/observation.h"
#include "core/kv/kv_cache.h"

namespace kvantage {

/// What a scorer wants gathered for it, beside the heads as they lie in the pool.
struct ScorerNeeds {
  bool keys = false;
  bool values = false;
  bool positions = false;
  int window_queries = 0;  // queries of the last so many tokens, or every_query
  bool repeat_pass = false;
  bool calibration = false;

  ObservationNeeds observation() const { return {window_queries, repeat_pass, calibration}; }
};

/// One layer of a cache, fp32. Rows are the kept tokens, ascending by original position.
struct LayerView {
  /// A part of the context while the model repeats it.
  struct Repeat {
    int first = 0, last = 0;  // tokens repeated
    at::Tensor queries;       // [kv_heads, group, rows, head_dim], after RoPE
    at::Tensor keys;          // [kv_heads, rows, head_dim], after RoPE
  };
  int layer = 0;
  int kv_heads = 0;
  int tokens = 0;               // held by each KV head
  int sequence_length = 0;      // tokens ever seen: the next one stands at this position
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
  /// Bytes of attention weights (or of likenesses of every key to every key) that live at once while this layer is
  /// scored; 0 where none are made.
  virtual std::size_t score_buffer_bytes(const LayerView& /*view*/) const { return 0; }
};

/// Gathers what `needs` asks for. rejected_input as Method::scores().
Expected<LayerView> view_layer(const KvCache& cache, int layer, const Observation& observed, const ScorerNeeds& needs);

/// Shared by scorers that rank by place alone: one row of scores for all KV heads -> [kv_heads, tokens].
at::Tensor same_for_all_heads(const LayerView& view, std::vector<float> scores);

/// Scores written head by head, on as many threads as the model computes with -> [kv_heads, tokens].
at::Tensor score_heads(const LayerView& view,
                       const std::function<void(std::size_t head, std::span<float> scores)>& score);

/// Attention of rows of queries to the keys of one KV head: softmax(Q K^T / sqrt(d) + causal).
/// queries [group, rows, head_dim] of the last `rows` tokens, keys [tokens, head_dim] -> [group, rows, tokens].
at::Tensor window_attention(const at::Tensor& queries, const at::Tensor& keys);

/// Turns back the rotation of keys or queries [.., tokens, head_dim] that stand at `positions` [tokens] (or
/// broadcastable): what they were before RoPE.
at::Tensor before_rope(const at::Tensor& rotated, const at::Tensor& positions, const at::Tensor& frequencies);

}  // namespace kvantage
