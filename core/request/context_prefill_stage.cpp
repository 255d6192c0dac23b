#include "core/request/context_prefill_stage.h"

#include <algorithm>
#include <optional>

#include "core/model/unseen_rows.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline requests {

ContextPrefillStage::ContextPrefillStage(RequestState& state, std::size_t from_token, bool exact_below,
                                         bool cut_in_prefill)
    : state_(state),
      evicts_unseen_rows_(state.input.decode_offload == nullptr && !cut_in_prefill &&
                          state.runtime.model->config().has_windows()),
      gives_original_(exact_below && !cut_in_prefill) {
  state.record.prefix_hit_tokens = static_cast<int>(from_token);
  const auto rest = state.input.context_tokens.subspan(from_token);
  prefill_ = std::make_unique<PrefillTask>(
      *state.runtime.model, state.cache, std::vector<std::int32_t>(rest.begin(), rest.end()),
      from_token == 0 ? 0 : state.cache.sequence_length(),
      PrefillOptions{.chunk_tokens = state.runtime.chunk_tokens(),
                     .window_queries = gives_original_ ? state.runtime.window_queries : 0,
                     .logits = PrefillLogits::none,
                     .layers_first = cut_in_prefill});
  if (state.input.records_inputs && gives_original_ && from_token == 0)
    inputs_ = std::make_shared<LayerInputs>(*state.runtime.model, static_cast<int>(rest.size()));
}

Status ContextPrefillStage::compute_step(const PrefillStep* computed) {
  std::optional<CaptureLayerInputs> capture;
  if (inputs_ != nullptr) capture.emplace(*state_.runtime.model, *inputs_);
  const PrefillStep step = computed != nullptr ? *computed : state_.next_step(*prefill_);
  KV_ASSIGN(const double seconds, state_.step(*prefill_, RequestSpan::Kind::context_prefill, computed));
  state_.timing().context_prefill_seconds += seconds;
  if (!evicts_unseen_rows_) return {};
  const std::int32_t next = prefill_->first_position() + (step.chunk + 1) * state_.runtime.chunk_tokens();
  const std::int32_t last = state_.input.keeps_original
                                ? first_continuation(state_.runtime, state_.input.context_tokens.size())
                                : prefill_->end_position();
  KV_ASSIGN(const std::size_t rows,
            evict_unseen_rows(*state_.runtime.model, state_.cache, step.layer, std::min(next, last)));
  state_.unseen_rows += rows;
  return {};
}

Status ContextPrefillStage::compute(const PrefillStep* computed) {
  has_begun_ = true;
  KV_TRY(compute_step(computed));
  if (!prefill_->done()) return {};
  queries_ = prefill_->take_window_queries();
  prefill_.reset();
  return {};
}

}  // namespace kvantage::inline requests
