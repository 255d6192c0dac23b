#include "core/request/decode_eviction_stage.h"

#include <utility>

#include "core/model/model_device.h"
#include "core/runtime/observing.h"

namespace kvantage::inline requests {
namespace {

/// Methods of decoding treat all layers alike: those with a sliding window or another rotation need rules of their own.
bool has_equal_layers(const Transformer& model) {
  return !model.config().has_windows() && model.config().rotates_alike();
}

}  // namespace

bool cuts_in_prefill(const Transformer& model, const DecodeEvictionSetting& eviction) {
  if (eviction.cut != PromptCut::prefill || eviction.selects_pages() || model.device() != nullptr) return false;
  if (!has_equal_layers(model)) return false;
  const auto method = make_eviction(eviction.method, eviction_setting(model, eviction.table));
  if (!method) return false;
  const EvictionNeeds needs = (*method)->needs();
  return !needs.attention && needs.window_queries == 0 && !needs.calibration;
}

DecodeEvictionStage::DecodeEvictionStage(RequestState& state, const DecodeEvictionSetting& eviction)
    : state_(state),
      eviction_(eviction),
      layers_(state.runtime.model->config().layers),
      cuts_in_prefill_(requests::cuts_in_prefill(*state.runtime.model, eviction)) {
  const auto prompt = state.input.context_tokens.size() + state.input.question_tokens.size();
  budget_tokens_ = eviction.budget.of_prompt(static_cast<int>(prompt));
  const ModelDevice* device = state.runtime.model->device();
  if (device != nullptr && (!device->calls_hooks() || eviction.selects_pages()))
    not_applied_ = "the model runs on a device";
  else if (!has_equal_layers(*state.runtime.model))
    not_applied_ = "layers of the model see or rotate differently";
  else
    make_loop();
}

void DecodeEvictionStage::make_loop() {
  const DecodeEvictionSetting& eviction = eviction_;
  if (eviction.selects_pages()) {
    auto options = read_quest(eviction.method).value_or(QuestOptions{});
    options.budget_tokens = budget_tokens_;
    quest_ = std::make_unique<QuestSelector>(options, state_.runtime.model->config().group());
    return;
  }
  const EvictionSetting setting = eviction_setting(*state_.runtime.model, eviction.table);
  if (auto method = make_eviction(eviction.method, setting))
    loop_ = std::make_unique<EvictionLoop>(std::move(*method), setting, eviction_options(eviction, budget_tokens_),
                                           state_.clock);
}

void DecodeEvictionStage::restart() {
  if (!std::exchange(begun_, false) || !applies()) return;
  make_loop();
  queries_ = {};
  next_layer_ = 0;
  cut_seconds_ = 0;
}

int DecodeEvictionStage::question_queries() const {
  return loop_ == nullptr ? 0 : loop_->prompt_queries(static_cast<int>(state_.input.question_tokens.size()));
}

// Budgets per head leave heads of different lengths, which only page selection can work on.
bool DecodeEvictionStage::heads_hold_equally_many() const {
  const KvCache& cache = state_.cache;
  for (int l = 0; l < layers_; ++l)
    for (int h = 1; h < cache.shape().kv_heads; ++h)
      if (cache.kept(l, h) != cache.kept(l, 0)) return false;
  return true;
}

Status DecodeEvictionStage::begin(WindowQueries queries) {
  begun_ = true;
  queries_ = std::move(queries);
  if (loop_ == nullptr) return {};
  if (!heads_hold_equally_many()) {
    not_applied_ = "heads hold different numbers of tokens";
    loop_.reset();
    return {};
  }
  Observation observed = observation_of(state_.runtime, {});
  if (loop_->needs_calibration())
    KV_TRY(complete_observation(state_.runtime, state_.cache, {}, {.calibration = true}, observed));
  return loop_->begin(state_.cache, observed);
}

Status DecodeEvictionStage::compute() {
  if (loop_ != nullptr) {
    const std::int64_t start = state_.clock.monotonic_ns();
    KV_TRY(loop_->begin_layer(state_.cache, next_layer_, queries_));
    cut_seconds_ += state_.spans.add(RequestSpan::Kind::prompt_eviction, start, state_.clock.monotonic_ns(),
                                     {.layer = static_cast<std::int16_t>(next_layer_)});
  }
  if (++next_layer_ == layers_) queries_ = {};
  return {};
}

DecodeHooks* DecodeEvictionStage::hooks() {
  if (!begun_ || cuts_prompt()) return nullptr;
  return loop_ != nullptr ? static_cast<DecodeHooks*>(loop_.get()) : quest_.get();
}

void DecodeEvictionStage::fill_in(DecodingRecord& record) const {
  record.eviction = eviction_.text();
  record.budget_tokens = budget_tokens_;
  record.not_applied = not_applied_;
  record.cut_seconds = cut_seconds_;
  static_cast<EvictionWork&>(record) = so_far();
  if (quest_ != nullptr && quest_->rows_held() > 0)
    record.read_fraction = static_cast<double>(quest_->rows_read()) / static_cast<double>(quest_->rows_held());
}

EvictionWork DecodeEvictionStage::so_far() const {
  if (loop_ == nullptr) return {};
  const EvictionCounts& counts = loop_->counts();
  return {.evicted_entries = static_cast<std::uint64_t>(counts.tokens_evicted),
          .deciding_seconds = counts.deciding_seconds,
          .compactions = {.passes = static_cast<std::uint64_t>(counts.passes),
                          .blocks_freed = static_cast<std::uint64_t>(counts.blocks_freed_by_compaction),
                          .slot_copies = static_cast<std::uint64_t>(counts.slot_copies),
                          .seconds = counts.compaction_seconds},
          .blocks_freed = static_cast<std::uint64_t>(counts.blocks_freed_by_eviction),
          .score_buffer_bytes = counts.score_buffer_bytes};
}

}  // namespace kvantage::inline requests
