#include "core/request/question_prefill_stage.h"

#include <algorithm>

namespace kvantage::inline requests {
namespace {

bool is_whole(const RequestState& state, const HitStage* source) {
  return source == nullptr || source->has_layer(state.runtime.model->kv_shape().layers - 1);
}

// A cache that is loading or being computed has no tokens yet: use the length that its context will have.
std::int32_t question_start(const RequestState& state, const HitStage* source, const ContextPrefillStage* context) {
  return context == nullptr && is_whole(state, source) ? state.cache.sequence_length()
                                                       : static_cast<std::int32_t>(state.input.context_tokens.size());
}

}  // namespace

QuestionPrefillStage::QuestionPrefillStage(RequestState& state, HitStage* source, int window_queries,
                                           bool rows_may_stay, CutInPrefill cut)
    : state_(state),
      source_(source),
      cut_(cut),
      prefill_(
          *state.runtime.model, state.cache, state.input.question_tokens, question_start(state, source, cut.context),
          PrefillOptions{.chunk_tokens = state.runtime.chunk_tokens(),
                         .window_queries = window_queries,
                         .logits = PrefillLogits::last,
                         .rows_may_stay = rows_may_stay,
                         .layers_first = cut.eviction != nullptr || (source != nullptr && source->takes_queries())}) {
  state.question_start = prefill_.first_position();
}

// All tokens of the prompt have passed the layer: nothing of this prefill reads it again.
bool QuestionPrefillStage::must_cut() const {
  return cut_.eviction != nullptr && cut_.eviction->next_layer() < prefill_.next_layer();
}

bool QuestionPrefillStage::must_compute_context() const {
  return cut_.context != nullptr && !prefill_.done() && !cut_.context->has_layer(prefill_.next_layer());
}

bool QuestionPrefillStage::must_give_queries() const {
  return source_ != nullptr && !prefill_.done() && prefill_.next_chunk() == 0 &&
         source_->wants_queries(prefill_.next_layer());
}

Status QuestionPrefillStage::give_queries() {
  const std::int64_t start = state_.clock.monotonic_ns();
  const int layer = prefill_.next_layer();
  KV_ASSIGN(const auto queries, prefill_.next_queries());
  state_.timing().question_prefill_seconds +=
      state_.spans.add(RequestSpan::Kind::question_prefill, start, state_.clock.monotonic_ns(),
                       {.layer = static_cast<std::int16_t>(layer),
                        .tokens = static_cast<std::int32_t>(state_.input.question_tokens.size())});
  return source_->take_queries(layer, queries);
}

RequestNeed QuestionPrefillStage::needs() const {
  if (done()) return RequestNeed::nothing;
  if (must_cut() || must_compute_context() || must_give_queries()) return RequestNeed::compute;
  const bool has_layer = source_ == nullptr || prefill_.next_chunk() > 0 || source_->has_layer(prefill_.next_layer());
  return has_layer ? RequestNeed::compute : RequestNeed::bytes;
}

PrefillTask* QuestionPrefillStage::shareable() {
  const bool gives_queries = source_ != nullptr && source_->takes_queries();
  return cuts() || gives_queries || prefill_.done() ? nullptr : &prefill_;
}

Status QuestionPrefillStage::compute_step(const PrefillStep* computed) {
  KV_ASSIGN(const double seconds, state_.step(prefill_, RequestSpan::Kind::question_prefill, computed));
  state_.timing().question_prefill_seconds += seconds;
  return {};
}

Status QuestionPrefillStage::compute(const PrefillStep* computed) {
  if (computed != nullptr) return compute_step(computed);
  if (cuts() && !cut_.eviction->has_begun()) KV_TRY(cut_.eviction->begin({}));
  if (must_cut()) return cut_.eviction->compute();
  if (must_give_queries()) return give_queries();
  if (must_compute_context())
    KV_TRY(cut_.context->compute());
  else
    KV_TRY(compute_step(nullptr));
  if (!cuts()) return {};
  // Later the maximum is gone.
  DecodingRecord& decoding = state_.record.decoding;
  decoding.peak_bytes = std::max(decoding.peak_bytes, std::uint64_t{state_.cache.held_bytes()});
  return {};
}

int QuestionPrefillStage::rows_in_cache() const {
  return prefill_.rows_stay() ? 0 : static_cast<int>(state_.input.question_tokens.size());
}

}  // namespace kvantage::inline requests
