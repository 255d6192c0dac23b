#include "core/request/request_task.h"

#include <utility>

#include "core/compress/method.h"

namespace kvantage::inline requests {

RequestTask::RequestTask(ModelRuntime& runtime, BufferLender& lender, const Clock& clock, RequestInput input,
                         std::optional<CacheHit> hit, double lookup_seconds, DecodeStage::TextCallback on_text,
                         std::unique_ptr<LoadTask> begun_load)
    : lender_(lender),
      state_(runtime, clock, std::move(input), lookup_seconds),
      eviction_(state_.input.decode_eviction == nullptr
                    ? nullptr
                    : std::make_unique<DecodeEvictionStage>(state_, *state_.input.decode_eviction)),
      decode_(state_, std::move(on_text), eviction_.get()) {
  if (hit) {
    take_hit(std::move(*hit), std::move(begun_load));
  } else {
    if (state_.input.decode_offload != nullptr)
      offload_ = std::make_unique<OffloadedDecodeStage>(state_, decode_, lender, *state_.input.decode_offload);
    if (record().miss_reason.empty()) record().miss_reason = "absent";
    begin_context_prefill(0);
  }
}

RequestTask::Need RequestTask::needs() const {
  switch (phase_) {
    case Phase::hit:
      return hit_stage_->needs();
    case Phase::context_prefill:
      return Need::compute;
    case Phase::question_prefill:
      return question_->needs();
    case Phase::prompt_eviction:
      return Need::compute;
    case Phase::decode:
      return done() ? Need::nothing : Need::token;
    case Phase::offload:
      return done() ? Need::nothing : offload_->needs();
  }
  return Need::nothing;
}

Status RequestTask::poll(double wait_seconds) {
  if (needs() != Need::bytes) return {};
  if (phase_ == Phase::offload) {
    KV_TRY(offload_->poll(wait_seconds));
    if (offload_->gave_up()) begin_question();
    return {};
  }
  KV_TRY(hit_stage_->poll(wait_seconds, question_ ? question_->layers_needed() : 1));
  follow_hit();
  return {};
}

Status RequestTask::compute(const PrefillStep* computed) {
  if (computed == nullptr && needs() != Need::compute) return {};
  switch (phase_) {
    case Phase::hit:
      KV_TRY(hit_stage_->compute());
      follow_hit();
      break;
    case Phase::context_prefill: {
      std::optional<CaptureLayerInputs> capture;
      if (offload_ != nullptr) capture.emplace(*state_.runtime.model, offload_->inputs());
      KV_TRY(context_->compute(computed));
      if (context_->done()) begin_question();
      break;
    }
    case Phase::question_prefill:
      KV_TRY(question_->compute(computed));
      if (question_->done()) return take_first_token();
      break;
    case Phase::prompt_eviction:
      KV_TRY(eviction_->compute());
      if (!eviction_->cuts_prompt()) phase_ = Phase::decode;
      break;
    case Phase::offload:
      KV_TRY(offload_->compute());
      if (offload_->gave_up()) begin_question();
      break;
    case Phase::decode:
      break;
  }
  return {};
}

void RequestTask::take_hit(CacheHit hit, std::unique_ptr<LoadTask> begun_load) {
  context_.reset();
  phase_ = Phase::hit;
  hit_stage_ = begin_hit_stage(state_, std::move(hit), lender_, std::move(begun_load));
}

void RequestTask::begin_context_prefill(std::size_t from_token) {
  const CacheHit* below = hit();
  const bool exact_below =
      from_token == 0 || below == nullptr || holds_original(below->method, below->removed_fraction);
  const bool cuts =
      from_token == 0 && eviction_ != nullptr && eviction_->cuts_in_prefill() && !state_.input.keeps_original;
  context_.emplace(state_, from_token, exact_below, cuts);
  phase_ = Phase::context_prefill;
  if (cuts) begin_question();  // it takes the context along, layer by layer
}

void RequestTask::begin_question() {
  if (offload_ != nullptr && offload_->begin()) {
    phase_ = Phase::offload;
    return;
  }
  const bool evicts = eviction_ != nullptr && eviction_->applies();
  CutInPrefill cut;
  if (evicts && eviction_->cuts_in_prefill()) {
    const bool computes = context_ && !context_->done();
    const bool loads = hit_stage_ != nullptr && !context_ && holds_original(hit()->method, hit()->removed_fraction);
    if (computes || loads) cut = {eviction_.get(), computes ? &*context_ : nullptr};
  }
  question_.emplace(state_, hit_stage_.get(), evicts ? eviction_->question_queries() : 0, !evicts, cut);
  phase_ = Phase::question_prefill;
}

void RequestTask::follow_hit() {
  switch (hit_stage_->next()) {
    case HitStage::Next::this_stage:
      return;
    case HitStage::Next::question:
      if (phase_ != Phase::hit) return;  // it is already computing, and waited for a layer
      failed_read_ = hit_stage_->failure();
      return begin_question();
    case HitStage::Next::rest_of_context:
      return begin_context_prefill(hit_stage_->rest_from());
    case HitStage::Next::miss:
      failed_read_ = hit_stage_->failure();
      if (eviction_ != nullptr) eviction_->restart();
      question_.reset();
      hit_stage_.reset();
      state_.become_miss(failed_read_->entry_is_lost() ? to_string(failed_read_->error.code)
                                                       : failed_read_->miss_reason);
      return begin_context_prefill(0);
  }
}

bool RequestTask::may_take_hit() const {
  return phase_ == Phase::context_prefill && !context_->has_begun() && hit_stage_ == nullptr && !failed_read_ &&
         offload_ == nullptr;
}

Status RequestTask::take_first_token() {
  phase_ = Phase::decode;
  const std::size_t resident_rows = state_.resident ? state_.resident->rows : 0;
  // Before the end of a one-token answer truncates the question.
  record().kept_tokens = question_->cuts()
                             ? static_cast<int>(state_.input.context_tokens.size())
                             : state_.cache.kept_mean(state_.unseen_rows + resident_rows) - question_->rows_in_cache();
  decode_.take_token(question_->logits());
  state_.note_first_token();
  if (hit_stage_ != nullptr)
    hit_stage_->fill_in(record());
  else
    record().source = "prefill";
  if (eviction_ == nullptr || eviction_->has_begun() || done()) return {};
  KV_TRY(eviction_->begin(question_->take_queries()));
  if (eviction_->cuts_prompt()) phase_ = Phase::prompt_eviction;
  return {};
}

std::optional<LoadSample> RequestTask::load_sample() const {
  return hit_stage_ != nullptr ? hit_stage_->load_sample() : std::nullopt;
}

KvCache RequestTask::share_context() const {
  KvCache context = state_.cache.share();
  state_.keep_context_only(context);
  return context;
}

}  // namespace kvantage::inline requests
