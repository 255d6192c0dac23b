// State shared by the stages of one request: the prompt, the cache that answers it, and the record that they fill in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/kv/kv_cache.h"
#include "core/ports/decode_eviction.h"
#include "core/ports/events.h"
#include "core/request/span_log.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline requests {

struct DecodeOffload;  // offloaded_decode_stage.h

/// What is known of a request before it is served.
struct RequestStart {
  AskedQuestion asked = {};
  std::string policy = {};
  double alpha = 0;
  std::string miss_reason = {};                                // if it is a miss
  double predicted_quality = -1, predicted_ttft_seconds = -1;  // -1: no prediction
  double prefetch_seconds = 0;                                 // of a load that began before it was served
  std::optional<DecodeChoice> choice = {};                     // where decode-time eviction is planned
  std::optional<OffloadRecord> offload = {};                   // where decode_offload is not applied
};

/// Its record before anything was done for it.
RequestRecord initial_record(RequestStart start);

/// How a whole context in chunks is read by need (important_reads_stage.h).
struct ImportantTokensRule {
  double kept = 1;  // share of tokens that each probe head names
  int probes = 3;   // KV heads
};

/// How a stored context is read.
struct HitReading {
  bool attend_quantized = false;  // a whole loaded context stays encoded where its codec reads ranges
  std::optional<ImportantTokensRule> important_tokens = {};  // nothing: it is read whole
};

struct RequestInput {
  RequestStart start = {};
  std::span<const std::int32_t> context_tokens;
  std::vector<std::int32_t> question_tokens;
  int max_answer_tokens = 48;
  HitReading reading = {};
  std::shared_ptr<const DecodeEvictionSetting> decode_eviction = {};  // null: none; then not attend_quantized
  std::shared_ptr<const DecodeOffload> decode_offload = {};           // null: none; else the context is prefilled
  bool records_inputs = false;  // of a computed context's layers, for the store; not with decode_offload
  bool keeps_original = true;   // of a computed context, for the store: it then has all rows that an original keeps
  std::int64_t arrival_ns = 0;  // monotonic
};

/// What a request waits for: bytes of its entry, its own compute, or one more token, which is decoded in a batch with
/// other requests.
enum class RequestNeed { bytes, compute, token, nothing };

/// One layer of one chunk of a prefill.
struct PrefillStep {
  int layer = 0, chunk = 0;
  std::int32_t tokens = 0;
  std::int32_t batch_tokens = 0;          // with those of other requests, computed together; 0: alone
  std::int64_t start_ns = 0, end_ns = 0;  // on the serving clock, once it is computed
};

/// A context that is on the device alone.
struct ResidentContext {
  KvCache cache;         // without question and answer, over the same blocks
  std::size_t rows = 0;  // over layers and heads
};

/// Model and clock must outlive it.
struct RequestState {
  /// Service started `lookup_seconds` ago, with the lookup; the time before was queueing.
  RequestState(ModelRuntime& model_runtime, const Clock& serving_clock, RequestInput of, double lookup_seconds);
  RequestState(const RequestState&) = delete;
  RequestState& operator=(const RequestState&) = delete;

  RequestTiming& timing() { return record.timing; }
  double seconds_since(std::int64_t start_ns) const;
  /// Of `prefill`, without its times.
  PrefillStep next_step(const PrefillTask& prefill) const;
  /// Computes the next step of `prefill`; or takes `computed`, which was computed together with those of other
  /// requests. Returns its seconds, recorded as a span of this kind. A shared step counts in full: the request waited
  /// for it.
  Expected<double> step(PrefillTask& prefill, RequestSpan::Kind kind, const PrefillStep* computed = nullptr);
  /// A failed or corrupt read is a miss: nothing of the entry is used.
  void become_miss(const std::string& reason);
  /// The first answer token is out: TTFT.
  void note_first_token();
  /// Truncates question and answer, which belong to this request only.
  void keep_context_only(KvCache& of) const;

  ModelRuntime& runtime;
  const Clock& clock;  // the serving clock
  RequestInput input;
  RequestRecord record;  // the stages fill it in
  KvCache cache;
  std::int32_t question_start = 0;  // position of the question's first token
  std::size_t unseen_rows = 0;      // past the windows of their layers: evicted, or not in the entry (unseen_rows.h)
  std::optional<ResidentContext> resident = {};  // nothing: the context is in the cache's host memory
  SpanLog spans;
  std::int64_t service_start_ns = 0;
};

}  // namespace kvantage::inline requests
