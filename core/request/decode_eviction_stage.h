// Decode-time eviction of one request: between the first token and the second, or as soon as a layer's prefill is done,
// it cuts the prompt's cache to the budget, one layer per step; from then on its hooks evict rows, or select pages, in
// every decoded token. It changes the request's own cache: blocks that others share are copied or left as they are.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/compress/decode/eviction_loop.h"
#include "core/compress/decode/quest.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// Whether the setting asks for cuts during the prompt's prefill and the method scores rows of a layer alone, without
/// queries; each layer may then be cut once the prompt's last token has passed it.
bool cuts_in_prefill(const Transformer& model, const DecodeEvictionSetting& eviction);

class DecodeEvictionStage {
 public:
  /// eviction: valid, must outlive this. The cache holds no quantized rows, and the CPU computes the model.
  DecodeEvictionStage(RequestState& state, const DecodeEvictionSetting& eviction);

  /// Whether the request's model calls hooks at all; if not, the answer is decoded without eviction.
  bool applies() const { return not_applied_.empty(); }
  /// Queries of the question that begin() needs, to be kept while it is prefilled; 0: none.
  int question_queries() const;
  /// As below, for this request.
  bool cuts_in_prefill() const { return cuts_in_prefill_ && loop_ != nullptr; }
  /// After the first token, or before the prefill that is cut. queries: of the last question_queries() tokens. An
  /// error, such as a calibration that fails, ends the request.
  Status begin(WindowQueries queries);
  bool has_begun() const { return begun_; }
  int next_layer() const { return next_layer_; }
  /// The prompt is prefilled again from the start: forgets what was cut.
  void restart();
  /// Whether layers of the prompt are left to cut.
  bool cuts_prompt() const { return begun_ && next_layer_ < layers_; }
  /// Cuts one layer. no_space: the same step can be retried.
  Status compute();
  /// For the passes that decode; null before the prompt is cut.
  DecodeHooks* hooks();
  /// Tokens per head that the cache keeps while it decodes; nothing where none is evicted.
  std::optional<int> kept_tokens() const { return loop_ != nullptr ? std::optional(budget_tokens_) : std::nullopt; }
  void fill_in(DecodingRecord& record) const;
  /// Zeros where it evicts none.
  EvictionWork so_far() const;
  /// Compaction passes since the last call, oldest first.
  std::vector<CompactionPass> take_passes() {
    return loop_ != nullptr ? loop_->take_passes() : std::vector<CompactionPass>();
  }

 private:
  void make_loop();
  bool heads_hold_equally_many() const;

  RequestState& state_;
  const DecodeEvictionSetting& eviction_;
  int layers_, budget_tokens_;
  bool cuts_in_prefill_;
  std::unique_ptr<EvictionLoop> loop_;
  std::unique_ptr<QuestSelector> quest_;
  WindowQueries queries_;
  int next_layer_ = 0;
  bool begun_ = false;
  double cut_seconds_ = 0;
  std::string not_applied_;
};

}  // namespace kvantage::inline requests
