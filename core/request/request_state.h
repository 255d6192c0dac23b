// What the stages of one request share: what is asked, the cache that its answer reads, and the record that they fill
// in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/kv/kv_cache.h"
#include "core/ports/events.h"
#include "core/request/span_log.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline requests {

struct RequestInput {
  RequestRecord record;  // id, context, question, gold, policy, alpha are filled in; the stages fill in the rest
  std::span<const std::int32_t> context_tokens;
  std::vector<std::int32_t> question_tokens;
  int max_answer_tokens = 48;
  bool attend_coded = false;    // a whole context that was loaded in a codec that reads ranges is not unpacked
  std::int64_t arrival_ns = 0;  // monotonic
};

/// What a request needs next: bytes of its entry, its own computation, or one more token, which is decoded for all
/// requests that need one together.
enum class RequestNeed { bytes, compute, token, nothing };

/// Model and clock outlive it.
struct RequestState {
  /// Service began `lookup_seconds` ago, with the lookup; what came before was queueing.
  RequestState(ModelRuntime& model_runtime, const Clock& serving_clock, RequestInput of, double lookup_seconds);
  RequestState(const RequestState&) = delete;
  RequestState& operator=(const RequestState&) = delete;

  RequestRecord& record() { return input.record; }
  RequestTiming& timing() { return input.record.timing; }
  double seconds_since(std::int64_t start_ns) const;
  /// One layer of one chunk of `prefill`. Returns its seconds, which a span of this kind records.
  Expected<double> step(PrefillTask& prefill, RequestSpan::Kind kind);
  /// Cuts question and answer off: they belong to this request only.
  void keep_context_only(KvCache& of) const;

  ModelRuntime& runtime;
  const Clock& clock;  // of serving
  RequestInput input;
  KvCache cache;
  std::int32_t question_start = 0;  // position of its first token
  SpanLog spans;
  std::int64_t service_start_ns = 0;
};

}  // namespace kvantage::inline requests
