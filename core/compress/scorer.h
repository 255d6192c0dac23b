// What a method's file implements: one pure function from the view of a layer to scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "core/base/error.h"
#include "core/kv/kv_cache.h"
#include "core/kv/serial.h"

namespace kvantage {

/// What a scorer reads; nothing else is gathered for it.
struct ScorerNeeds {
  bool keys = false;
  bool values = false;
  int window_queries = 0;  // queries of the last so many tokens
};

/// One layer of a cache, fp32. Rows are the kept tokens, ascending by original position.
struct LayerView {
  int layer = 0;
  int kv_heads = 0;
  int tokens = 0;      // held by each KV head
  at::Tensor keys;     // [kv_heads, tokens, head_dim], after RoPE; if needed
  at::Tensor values;   // [kv_heads, tokens, head_dim]; if needed
  at::Tensor queries;  // [kv_heads, group, window, head_dim], after RoPE, of the last tokens; if needed
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual ScorerNeeds needs() const = 0;
  /// Scores [kv_heads, tokens], fp32, larger = keep.
  virtual at::Tensor score(const LayerView& view) const = 0;
};

/// Gathers what `needs` asks for. rejected_input as Method::scores().
Expected<LayerView> view_layer(const KvCache& cache, int layer, const WindowQueries* queries, const ScorerNeeds& needs);

/// Shared by scorers that rank by place alone: one row of scores for all KV heads -> [kv_heads, tokens].
at::Tensor same_for_all_heads(const LayerView& view, std::vector<float> scores);

}  // namespace kvantage
