// Computes a context, or the part after a cached prefix.
#pragma once

#include <memory>

#include "core/kvpr/offloaded_prompt.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// What a prefill shows of a context, beside its keys and values.
struct PrefillObservations {
  WindowQueries queries;
  std::shared_ptr<const LayerInputs> inputs;  // null: not recorded
};

class ContextPrefillStage {
 public:
  /// from_token: the cache already holds the tokens before it. exact_below: these are uncompressed, so the result is an
  /// original. cut_in_prefill: the question follows layer by layer and its layers are cut, so there is no original.
  /// Rows past sliding windows are evicted while it is computed: those that an original leaves out
  /// (core/runtime/windowed_rows.h), or, where nothing is made from the cache (RequestInput::keeps_original), all that
  /// the question does not see.
  ContextPrefillStage(RequestState& state, std::size_t from_token, bool exact_below, bool cut_in_prefill = false);

  /// One layer of one chunk. no_space: the pool is full; the same step can be retried. computed: as
  /// RequestState::step().
  Status compute(const PrefillStep* computed = nullptr);
  /// The prefill, if others may compute its next step; null: inputs of its layers are recorded.
  PrefillTask* shareable() { return inputs_ == nullptr ? prefill_.get() : nullptr; }
  /// Others attempt a step.
  void begin() { has_begun_ = true; }
  /// A step was attempted.
  bool has_begun() const { return has_begun_; }
  bool done() const { return prefill_ == nullptr; }
  /// With cut_in_prefill: all tokens of the layer are in the cache.
  bool has_layer(int layer) const { return done() || prefill_->next_layer() > layer; }
  /// After completion, the cache is the uncompressed one of the whole context, with all rows that an original keeps.
  bool gives_original() const { return gives_original_ && (state_.input.keeps_original || state_.unseen_rows == 0); }
  /// After done(); empty if it is not an original.
  WindowQueries take_queries() { return std::move(queries_); }
  /// The same with the layer inputs, where RequestInput asks for them and the whole context was computed.
  PrefillObservations take_observations() { return {take_queries(), std::move(inputs_)}; }

 private:
  Status compute_step(const PrefillStep* computed);

  RequestState& state_;
  bool evicts_unseen_rows_;
  bool gives_original_;
  bool has_begun_ = false;
  std::unique_ptr<PrefillTask> prefill_;
  WindowQueries queries_;
  std::shared_ptr<LayerInputs> inputs_;  // null: not recorded
};

}  // namespace kvantage::inline requests
