// One request as a state machine of resumable steps, so that the engine can handle commands between any two of them and
// batch several requests. Each stage has its own class:
//
//   HitStage              load, layer by layer, or hybrid prefill: its front computed while its back loads   on a hit
//   ContextPrefillStage   one layer of one chunk per step                     on a miss, or after a prefix hit
//   QuestionPrefillStage  may follow a load layer by layer; first token = TTFT
//   DecodeEvictionStage   cuts the prompt's cache to a budget, one layer per step   with decode-time eviction
//   DecodeStage           the answer's further tokens
//   OffloadedDecodeStage  with decode_offload, in place of the last three: question and answer over a context on a tier
// A read that fails midway becomes a miss: loaded rows are dropped and the context is prefilled.
#pragma once

#include <memory>
#include <optional>

#include "core/request/context_prefill_stage.h"
#include "core/request/decode_eviction_stage.h"
#include "core/request/decode_stage.h"
#include "core/request/hit_stage.h"
#include "core/request/offloaded_decode_stage.h"
#include "core/request/question_prefill_stage.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

class PrefillGroup;

class RequestTask {
 public:
  /// begun_load: a load of the hit's entry in progress.
  RequestTask(ModelRuntime& runtime, BufferLender& lender, const Clock& clock, RequestInput input,
              std::optional<CacheHit> hit, double lookup_seconds, DecodeStage::TextCallback on_text,
              std::unique_ptr<LoadTask> begun_load = nullptr);

  using Need = RequestNeed;
  Need needs() const;
  /// Takes arrived bytes, waiting up to `wait_seconds` for the first. Errors as in compute().
  Status poll(double wait_seconds);
  /// Computes one layer of one chunk. no_space: the pool is full; the same step can be retried. Any other error is a
  /// defect and ends the request. computed: that layer, which a PrefillGroup has computed.
  Status compute(const PrefillStep* computed = nullptr);
  /// While needs() == token: the token to decode, and the receiver of its logits.
  DecodeStage& decode() { return decode_; }
  bool done() const { return decode_.done(); }

  /// Its stored entry is being read and must not move.
  bool reading() const { return hit_stage_ != nullptr && hit_stage_->reading(); }
  /// Nothing of its context was computed, and no entry was tried.
  bool may_take_hit() const;
  /// While may_take_hit(): uses `hit` instead of computing the context. begun_load: as in the constructor.
  void take_hit(CacheHit hit, std::unique_ptr<LoadTask> begun_load = nullptr);
  /// Null: no decode_offload.
  const OffloadedDecodeStage* offload() const { return offload_.get(); }

  RequestRecord& record() { return state_.record; }
  const RequestRecord& record() const { return state_.record; }
  /// Why the stored entry could not be read; nothing on success, or if none was used.
  const std::optional<ReadFailure>& failed_read() const { return failed_read_; }
  /// The entry that serves it; null: none.
  const CacheHit* hit() const { return hit_stage_ != nullptr ? &hit_stage_->hit() : nullptr; }
  /// After the first token: the measured load of a hit, for the tier's fit.
  std::optional<LoadSample> load_sample() const;

  /// After the first token: whether this request computed the uncompressed cache of the whole context.
  bool computed_original() const { return context_ && context_->gives_original(); }
  PrefillObservations take_observations() { return context_ ? context_->take_observations() : PrefillObservations{}; }
  /// The context alone, over the same blocks, without the question and the answer so far.
  KvCache share_context() const;
  /// After done(): the context's cache as used for the answer, compressed or not, without evicted_unseen_rows().
  const KvCache& cache() const { return state_.cache; }
  /// Whether the context was left without the rows that no later token of this request sees.
  bool evicted_unseen_rows() const { return state_.unseen_rows > 0; }
  /// After done(): the request's timeline.
  RequestSpans take_spans() { return state_.spans.take(); }

 private:
  friend class PrefillGroup;  // prefill_group.h
  enum class Phase { hit, context_prefill, question_prefill, prompt_eviction, decode, offload };
  void begin_context_prefill(std::size_t from_token);
  void begin_question();
  void follow_hit();
  Status take_first_token();

  BufferLender& lender_;
  RequestState state_;
  Phase phase_ = Phase::hit;
  std::unique_ptr<HitStage> hit_stage_;
  std::optional<ContextPrefillStage> context_;
  std::optional<QuestionPrefillStage> question_;
  std::unique_ptr<DecodeEvictionStage> eviction_;  // null: no decode-time eviction
  DecodeStage decode_;
  std::unique_ptr<OffloadedDecodeStage> offload_;  // null: no decode_offload
  std::optional<ReadFailure> failed_read_;
};

}  // namespace kvantage::inline requests
