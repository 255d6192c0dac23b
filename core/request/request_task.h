// One request as a state machine of resumable steps, so that the engine can look at commands between any two of them
// and serve several requests together. Each stage is a class of its own:
//
//   HitStage              load, layer by layer, or hybrid prefill: its front computed while its back loads   on a hit
//   ContextPrefillStage   one layer of one chunk a step                       on a miss, or beyond a prefix hit
//   QuestionPrefillStage  may follow a load layer by layer; first token = TTFT
//   DecodeStage           the answer's further tokens
// A read that fails in the middle becomes a miss: what was loaded is dropped, the context is prefilled instead.
#pragma once

#include <memory>
#include <optional>

#include "core/request/context_prefill_stage.h"
#include "core/request/decode_stage.h"
#include "core/request/hit_stage.h"
#include "core/request/question_prefill_stage.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

class RequestTask {
 public:
  /// begun_load: of the hit, reading already; it must be of the hit's entry.
  RequestTask(ModelRuntime& runtime, BufferLender& lender, const Clock& clock, RequestInput input,
              std::optional<CacheHit> hit, double lookup_seconds, DecodeStage::TextCallback on_text,
              std::unique_ptr<LoadTask> begun_load = nullptr);

  using Need = RequestNeed;
  Need needs() const;
  /// Takes bytes that have arrived, waiting up to `wait_seconds` for the first. Errors as of compute().
  Status poll(double wait_seconds);
  /// Computes one layer of one chunk. no_space: the pool is full, and the same step may be tried again once it is not.
  /// Any other error ends the request: a defect.
  Status compute();
  /// While needs() == token: what is to be decoded next, and who takes the token.
  DecodeStage& decode() { return decode_; }
  bool done() const { return decode_.done(); }

  /// Its stored entry is being read and may not move.
  bool reading() const { return hit_stage_ != nullptr && hit_stage_->reading(); }
  /// Nothing of its context has been computed, and no entry was tried.
  bool may_take_hit() const;
  /// While may_take_hit(): uses `hit` instead of computing the context.
  void take_hit(CacheHit hit);

  RequestRecord& record() { return state_.record(); }
  const RequestRecord& record() const { return state_.input.record; }
  /// Why the stored entry could not be read; nothing when it could, or none was used.
  const std::optional<ReadFailure>& failed_read() const { return failed_read_; }
  /// The entry that serves it; null: none.
  const CacheHit* hit() const { return hit_stage_ != nullptr ? &hit_stage_->hit() : nullptr; }
  /// From the first token on: what the load of a hit took, for the tier's fit.
  std::optional<LoadSample> load_sample() const;

  /// From the first token on: the uncompressed cache of the whole context, when this request computed it.
  bool computed_original() const { return context_ && context_->gives_original(); }
  WindowQueries take_queries() { return context_ ? context_->take_queries() : WindowQueries{}; }
  /// The context alone, over the same blocks: without the question, and what is answered already.
  KvCache share_context() const;
  /// After done(): the context as it answered, compressed or not.
  const KvCache& cache() const { return state_.cache; }
  /// After done(): what it did when.
  RequestSpans take_spans() { return state_.spans.take(); }

 private:
  enum class Phase { hit, context_prefill, question_prefill, decode };
  void begin_hit(CacheHit hit, std::unique_ptr<LoadTask> begun_load);
  void begin_context_prefill(std::size_t from_token);
  void begin_question();
  void follow_hit();
  void give_up_hit();
  void take_first_token();

  BufferLender& lender_;
  RequestState state_;
  Phase phase_ = Phase::hit;
  std::unique_ptr<HitStage> hit_stage_;
  std::optional<ContextPrefillStage> context_;
  std::optional<QuestionPrefillStage> question_;
  DecodeStage decode_;
  std::optional<ReadFailure> failed_read_;
};

}  // namespace kvantage::inline requests
