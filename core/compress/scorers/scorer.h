// The interface of a scoring method: one pure function from the view of a layer to scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/compress/budgets/layer_scores.h"
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
  bool hidden_states = false;
  bool output_norms = false;

  ObservationNeeds observation() const {
    return {window_queries, repeat_pass, calibration, hidden_states, output_norms};
  }
};

/// One layer of a cache, fp32. Rows are the kept tokens, ascending by original position.
struct LayerView {
  /// A part of the context, repeated by the model.
  struct Repeat {
    int first = 0, last = 0;  // tokens repeated
    at::Tensor queries;       // [kv_heads, group, rows, head_dim], after RoPE
    at::Tensor keys;          // [kv_heads, rows, head_dim], after RoPE
    at::Tensor hidden_norms;  // [rows]; undefined where a device computed the model
  };
  int layer = 0;
  int kv_heads = 0;
  int tokens = 0;                      // per KV head
  int sequence_length = 0;             // tokens ever seen: the position of the next one
  std::vector<HeadView> heads;         // [kv_heads], rows in the pool for row_math.h; always
  at::Tensor keys;                     // [kv_heads, tokens, head_dim], after RoPE; if needed
  at::Tensor values;                   // [kv_heads, tokens, head_dim]; if needed
  at::Tensor queries;                  // [kv_heads, group, window, head_dim], after RoPE, of the last tokens; if needed
  at::Tensor positions;                // [kv_heads, tokens], int32, original; if needed
  at::Tensor frequencies;              // [head_dim/2], radians per position
  const FileVectors* files = nullptr;  // null: vectors of files are in this order, and unscaled
  std::vector<Repeat> repeat;
  at::Tensor mean_queries;     // [kv_heads, group, head_dim/2], complex, before RoPE, over a calibration text
  at::Tensor mean_magnitudes;  // [kv_heads, group, head_dim/2], mean of the absolute values
  at::Tensor hidden_states;    // [tokens, hidden], normed inputs of this layer's attention; if needed
  at::Tensor absolute_output_norms, euclidean_output_norms;  // [kv_heads, group, tokens], of W_o v; if needed
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual ScorerNeeds needs() const = 0;
  /// Scores [kv_heads, tokens], fp32, larger = keep.
  virtual at::Tensor score(const LayerView& view) const = 0;
  /// The same for callers that can do without: a scorer of a file may fail, and its error says why.
  virtual Expected<at::Tensor> try_score(const LayerView& view) const { return score(view); }
  /// Bytes of attention weights (or pairwise key similarities) in memory while this layer is scored; 0 where none are
  /// computed.
  virtual std::size_t score_buffer_bytes(const LayerView& /*view*/) const { return 0; }

  /// Whether the order depends on the removed fraction: then score_at() replaces the scores of a copy of what score()
  /// gave, of all layers, for a fraction above 0.
  virtual bool depends_on_fraction() const { return false; }
  virtual void score_at(double /*removed_fraction*/, LayerScores& /*scores*/) const {}
  /// For score_at(): second scores [kv_heads, tokens], or undefined; and whether it reads LayerScores::rows.
  virtual at::Tensor weights(const LayerView& /*view*/) const { return {}; }
  virtual bool scores_again() const { return false; }
  /// Whether tokens with a score above 0 stay and all others go, at any fraction above 0: no budget can wrap it.
  virtual bool chooses() const { return false; }
  /// If it chooses: whether every head keeps the same number of tokens in every layer.
  virtual bool equal_heads() const { return false; }
  /// Of the file that it reads, hexadecimal; part of its canonical text as the parameter `digest`. Empty: no file.
  virtual std::string file_digest() const { return {}; }
  /// Whether it is code of a file: a call may fail where the same one did not before.
  virtual bool runs_a_file() const { return false; }
};

/// Gathers the data of `needs`. rejected_input as Method::scores().
Expected<LayerView> view_layer(const KvCache& cache, int layer, const Observation& observed, const ScorerNeeds& needs);

/// Queries of the last `wanted` tokens of the context, or of all: [kv_heads, group, rows, head_dim]. rejected_input:
/// fewer were kept.
Expected<at::Tensor> newest_queries(const KvCache& cache, int layer, const WindowQueries& queries, int wanted);

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

/// Mean over the positions [first, first + count) of the matrix that rotates a row to its position: [head_dim,
/// head_dim].
at::Tensor mean_rotation(int first, int count, const at::Tensor& frequencies);

/// The tokens from `first` on get more than every earlier one of the layer, the newest most, each by the next float, so
/// that a smaller budget keeps the newest of them. scores: [kv_heads, tokens].
void pin_newest(at::Tensor& scores, std::int64_t first);

}  // namespace kvantage::inline scorers
