// One request as a machine of resumable steps, so that the engine can look at commands between any two of them and take
// several requests on together:
//
//   load (layer by layer, while the question's prefill follows it)        on a hit
//   front prefilled while the back loads, until they meet (core/load)     on a hit where the fits say so
//   context prefill (one layer of one chunk a step)                       on a miss, or beyond a prefix hit
//   question prefill -> first token = TTFT -> decode (one layer a step)   -> answer
// A read that fails in the middle becomes a miss: what was loaded is dropped, the context is prefilled instead.
// The engine asks what a request needs next: bytes (poll), its own computation (compute), or one more token, which it
// decodes for all requests that need one together.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/load/load_or_compute.h"
#include "core/model/batch_decode.h"
#include "core/ports/events.h"
#include "core/request/cache_hit.h"
#include "core/request/load_task.h"
#include "core/request/span_log.h"
#include "core/runtime/model_runtime.h"

namespace kvantage {

struct RequestInput {
  RequestRecord record;  // id, context, question, gold, policy, alpha are filled in; the task fills in the rest
  std::span<const std::int32_t> context_tokens;
  std::vector<std::int32_t> question_tokens;
  int max_answer_tokens = 48;
  bool attend_coded = false;    // a whole context that was loaded in a codec that reads ranges is not unpacked
  std::int64_t arrival_ns = 0;  // monotonic
};

class RequestTask {
 public:
  /// begun_load: of the hit, reading already; it must be of the hit's entry.
  using TextCallback = std::function<void(const std::string& text)>;
  RequestTask(ModelRuntime& runtime, BufferLender& lender, const Clock& clock, RequestInput input,
              std::optional<CacheHit> hit, double lookup_seconds, TextCallback on_text,
              std::unique_ptr<LoadTask> begun_load = nullptr);
  ~RequestTask();

  enum class Need { bytes, compute, token, nothing };
  Need needs() const;
  /// Takes bytes that have arrived, waiting up to `wait_seconds` for the first. Errors as of compute().
  Status poll(double wait_seconds);
  /// Computes one layer of one chunk. no_space: the pool is full, and the same step may be tried again once it is not.
  /// Any other error ends the request: a defect.
  Status compute();
  /// What is to be decoded next, valid while needs() == token; take_decoded() gets the logits that it led to.
  DecodeSequence next_decode();
  void take_decoded(std::span<const float> logits);
  /// One layer of the pass that decodes next_decode(), together with those of `together` - 1 other requests.
  void note_decoding(std::int64_t start_ns, std::int64_t end_ns, int layer, std::size_t together);

  bool done() const { return phase_ == Phase::done; }
  /// The first token is out, the tiers are idle as far as this request goes.
  bool decoding() const { return phase_ == Phase::decode; }
  /// Its stored entry is being read and may not move.
  bool reading() const { return load_ != nullptr || meeting_ != nullptr; }
  /// Nothing of its context has been computed, and no entry was tried.
  bool may_take_hit() const { return phase_ == Phase::context_prefill && !begun_prefill_ && !hit_ && !failed_read_; }
  /// While may_take_hit(): reads `hit` instead of computing the context.
  void take_hit(CacheHit hit);
  /// The context is being computed.
  bool prefilling_context() const { return phase_ == Phase::context_prefill; }
  std::int64_t arrival_ns() const { return input_.arrival_ns; }
  RequestRecord& record() { return input_.record; }
  const RequestRecord& record() const { return input_.record; }

  /// Why the stored entry could not be read; nothing when it could, or none was used.
  const std::optional<ReadFailure>& failed_read() const { return failed_read_; }
  const std::optional<CacheHit>& hit() const { return hit_; }

  /// From decoding() on: the uncompressed cache of the whole context, when this request computed it.
  bool computed_original() const { return computed_original_; }
  /// The context alone, over the same blocks: without the question, and what is answered already.
  KvCache share_context() const;
  /// After done(): the context as it answered, compressed or not.
  const KvCache& cache() const { return cache_; }
  /// After done(): the answer's tokens, and whether a stop token ended it.
  const std::vector<std::int32_t>& answer_tokens() const { return answer_; }
  bool answer_ended() const { return answer_ended_; }
  WindowQueries take_queries() { return std::move(queries_); }
  /// After done(): what it did when.
  RequestSpans take_spans() { return spans_.take(); }
  /// What the load of a hit took, for the tier's fit.
  struct LoadSample {
    std::uint64_t bytes = 0;
    int kept_tokens = 0;
    double device_seconds = 0, decode_seconds = 0;
  };
  const std::optional<LoadSample>& load_sample() const { return load_sample_; }

 private:
  enum class Phase { load, meeting, context_prefill, question_prefill, decode, done };
  void begin_hit();
  Status take_entry();
  Status step_context();
  Status step_question();
  bool layer_is_missing() const;
  Status restore_arrived(int layers_wanted);
  void begin_context_prefill(std::size_t from_token);
  void begin_question();
  void give_up_hit(ReadFailure failure);
  void take_token(std::span<const float> logits);
  void finish();
  double seconds_since(std::int64_t start_ns) const;
  double note_prefill(RequestSpan::Kind kind, int layer, int chunk);
  void note_arrivals();
  void note_read(std::int64_t ahead, std::int64_t arrived_ns, std::int64_t submitted_ns, double device_seconds,
                 RequestSpan what);

  // request_meeting.cpp
  bool begin_meeting();
  bool meeting_needs_compute() const;
  Status poll_meeting(double wait_seconds);
  Status compute_meeting();
  void end_meeting();
  Status give_up_meeting(const Status& status);
  void record_meeting();

  ModelRuntime& runtime_;
  BufferLender& lender_;
  const Clock& clock_;
  RequestInput input_;
  std::optional<CacheHit> hit_;
  TextCallback on_text_;
  Phase phase_ = Phase::load;

  KvCache cache_;
  std::int32_t question_start_ = 0;  // position of its first token
  WindowQueries queries_;
  std::unique_ptr<LoadTask> load_;
  std::unique_ptr<ComputeOrLoadTask> meeting_;
  std::optional<ComputedOrLoaded> met_;  // how it went, once it is over
  std::int64_t meeting_start_ns_ = 0;
  int restored_layers_ = 0;
  std::unique_ptr<PrefillTask> prefill_;
  std::int32_t next_token_ = 0;  // chosen and not yet in the cache
  StreamDecoder stream_;
  SpanLog spans_;
  std::size_t noted_arrivals_ = 0;  // of load_
  std::vector<std::int32_t> stop_ids_, answer_;
  std::int64_t service_start_ns_ = 0, last_token_ns_ = 0, phase_start_ns_ = 0, waiting_since_ns_ = 0;
  bool begun_prefill_ = false, computed_original_ = false, answer_ended_ = false;
  std::optional<ReadFailure> failed_read_;
  std::optional<LoadSample> load_sample_;
};

}  // namespace kvantage
