#include "core/request/request_state.h"

#include <algorithm>
#include <utility>

namespace kvantage::inline requests {

RequestRecord initial_record(RequestStart start) {
  RequestRecord record;
  static_cast<AskedQuestion&>(record) = std::move(start.asked);
  record.policy = std::move(start.policy);
  record.alpha = start.alpha;
  record.miss_reason = std::move(start.miss_reason);
  record.predicted_quality = start.predicted_quality;
  record.predicted_ttft_seconds = start.predicted_ttft_seconds;
  record.timing.prefetch_seconds = start.prefetch_seconds;
  record.decoding.choice = std::move(start.choice);
  record.decoding.offload = std::move(start.offload);
  return record;
}

RequestState::RequestState(ModelRuntime& model_runtime, const Clock& serving_clock, RequestInput of,
                           double lookup_seconds)
    : runtime(model_runtime),
      clock(serving_clock),
      input(std::move(of)),
      record(initial_record(std::move(input.start))),
      cache(*model_runtime.pool) {
  const auto lookup_ns = static_cast<std::int64_t>(lookup_seconds * 1e9);
  service_start_ns = clock.monotonic_ns() - lookup_ns;
  record.context_tokens = static_cast<int>(input.context_tokens.size());
  record.question_tokens = static_cast<int>(input.question_tokens.size());
  record.timing.lookup_seconds = lookup_seconds;
  const std::int64_t arrival_ns = std::min(input.arrival_ns, service_start_ns);
  record.timing.queue_seconds = static_cast<double>(service_start_ns - arrival_ns) * 1e-9;
  spans.begin(record.id, runtime.model->kv_shape().layers, arrival_ns);
  if (service_start_ns > arrival_ns) spans.add(RequestSpan::Kind::queue, arrival_ns, service_start_ns);
  spans.add(RequestSpan::Kind::lookup, service_start_ns, service_start_ns + lookup_ns);
}

double RequestState::seconds_since(std::int64_t start_ns) const {
  return static_cast<double>(clock.monotonic_ns() - start_ns) * 1e-9;
}

Expected<double> RequestState::step(PrefillTask& prefill, RequestSpan::Kind kind) {
  const std::int64_t start = clock.monotonic_ns();
  const int layer = prefill.next_layer(), chunk = prefill.next_chunk();
  KV_TRY(prefill.step());
  const std::int32_t all = prefill.end_position() - prefill.first_position(), of_chunk = runtime.chunk_tokens();
  return spans.add(
      kind, start, clock.monotonic_ns(),
      {.layer = static_cast<std::int16_t>(layer), .step = chunk, .tokens = std::min(of_chunk, all - chunk * of_chunk)});
}

void RequestState::become_miss(const std::string& reason) {
  record.miss_reason = reason;
  cache.clear();
  cache.set_sequence_length(0);
  unseen_rows = 0;
}

void RequestState::note_first_token() {
  timing().ttft_service_seconds = seconds_since(service_start_ns);
  timing().ttft_seconds = timing().queue_seconds + timing().ttft_service_seconds;
}

void RequestState::keep_context_only(KvCache& of) const {
  of.truncate(question_start);
  of.set_sequence_length(question_start);
}

}  // namespace kvantage::inline requests
