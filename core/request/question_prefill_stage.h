// Prefills the question over the cached context, up to the first token. While the context is loading, a layer of the
// question waits for the same layer of the context. Where the prompt is cut during its prefill, a layer is cut to the
// budget as soon as the question has passed it (PagedEviction, Algorithm 2).
#pragma once

#include <memory>
#include <span>

#include "core/request/context_prefill_stage.h"
#include "core/request/decode_eviction_stage.h"
#include "core/request/hit_stage.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// What cuts the prompt during its prefill; must outlive the stage.
struct CutInPrefill {
  DecodeEvictionStage* eviction = nullptr;  // with cuts_in_prefill(); null: nothing does
  ContextPrefillStage* context = nullptr;   // computed layer by layer before the question; null: it is in the cache
};

class QuestionPrefillStage {
 public:
  /// source: loads the context's layers, and gets the queries that it wants; must outlive this; null: all layers are in
  /// the cache. window_queries: of the question's last tokens, to keep. rows_may_stay: as in PrefillOptions.
  QuestionPrefillStage(RequestState& state, HitStage* source, int window_queries = 0, bool rows_may_stay = true,
                       CutInPrefill cut = {});

  RequestNeed needs() const;
  /// While it needs bytes: the number of context layers that lets it resume.
  int layers_needed() const { return prefill_.next_layer() + 1; }
  /// One layer of one chunk, the cut of a layer, or the queries of the next layer. no_space: the pool is full; the same
  /// step can be retried. computed: as RequestState::step().
  Status compute(const PrefillStep* computed = nullptr);
  /// The prefill, if others may compute its next step; null: compute() also does something else, or it is done.
  PrefillTask* shareable();
  bool done() const { return prefill_.done() && !must_cut(); }
  bool cuts() const { return cut_.eviction != nullptr; }
  /// After done(): [vocab_size], fp32.
  std::span<const float> logits() const { return prefill_.logits(); }
  /// After done(), once: the queries of the last window_queries tokens.
  WindowQueries take_queries() { return prefill_.take_window_queries(); }
  /// After done(): the question's rows in the cache.
  int rows_in_cache() const;

 private:
  bool must_cut() const;
  bool must_compute_context() const;
  bool must_give_queries() const;
  Status give_queries();
  Status compute_step(const PrefillStep* computed);

  RequestState& state_;
  HitStage* source_;
  CutInPrefill cut_;
  PrefillTask prefill_;
};

}  // namespace kvantage::inline requests
