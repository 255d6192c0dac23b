#include "core/request/question_prefill_stage.h"

namespace kvantage::inline requests {
namespace {

bool is_whole(const RequestState& state, const HitStage* source) {
  return source == nullptr || source->has_layer(state.runtime.model->kv_shape().layers - 1);
}

// A loading cache has no tokens yet: use the length that its context will have.
std::int32_t question_start(const RequestState& state, const HitStage* source) {
  return is_whole(state, source) ? state.cache.sequence_length()
                                 : static_cast<std::int32_t>(state.input.context_tokens.size());
}

}  // namespace

QuestionPrefillStage::QuestionPrefillStage(RequestState& state, const HitStage* source, int window_queries,
                                           bool rows_may_stay)
    : state_(state),
      source_(source),
      prefill_(*state.runtime.model, state.cache, state.input.question_tokens, question_start(state, source),
               PrefillOptions{.chunk_tokens = state.runtime.chunk_tokens(),
                              .window_queries = window_queries,
                              .logits = PrefillLogits::last,
                              .rows_may_stay = rows_may_stay}) {
  state.question_start = prefill_.first_position();
}

RequestNeed QuestionPrefillStage::needs() const {
  if (done()) return RequestNeed::nothing;
  const bool has_layer = source_ == nullptr || prefill_.next_chunk() > 0 || source_->has_layer(prefill_.next_layer());
  return has_layer ? RequestNeed::compute : RequestNeed::bytes;
}

Status QuestionPrefillStage::compute() {
  KV_ASSIGN(const double seconds, state_.step(prefill_, RequestSpan::Kind::question_prefill));
  state_.timing().question_prefill_seconds += seconds;
  return {};
}

int QuestionPrefillStage::rows_in_cache() const {
  return prefill_.rows_stay() ? 0 : static_cast<int>(state_.input.question_tokens.size());
}

}  // namespace kvantage::inline requests
