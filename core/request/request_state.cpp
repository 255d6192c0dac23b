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

PrefillStep RequestState::next_step(const PrefillTask& prefill) const {
  const std::int32_t all = prefill.end_position() - prefill.first_position(), of_chunk = runtime.chunk_tokens();
  const int chunk = prefill.next_chunk();
  return {.layer = prefill.next_layer(), .chunk = chunk, .tokens = std::min(of_chunk, all - chunk * of_chunk)};
}

Expected<double> RequestState::step(PrefillTask& prefill, RequestSpan::Kind kind, const PrefillStep* computed) {
  PrefillStep taken = computed != nullptr ? *computed : next_step(prefill);
  if (computed == nullptr) {
    taken.start_ns = clock.monotonic_ns();
    KV_TRY(prefill.step());
    taken.end_ns = clock.monotonic_ns();
  }
  const double seconds = spans.add(kind, taken.start_ns, taken.end_ns,
                                   {.layer = static_cast<std::int16_t>(taken.layer),
                                    .step = taken.chunk,
                                    .tokens = taken.tokens,
                                    .batch_tokens = taken.batch_tokens});
  if (taken.batch_tokens == 0) return seconds;
  if (!timing().shared_prefill) timing().shared_prefill.emplace();
  SharedPrefill& shared = *timing().shared_prefill;
  SharedSteps& steps = kind == RequestSpan::Kind::context_prefill ? shared.context : shared.question;
  ++steps.steps;
  steps.seconds += seconds;
  steps.own_seconds += seconds * taken.tokens / taken.batch_tokens;
  return seconds;
}

void RequestState::become_miss(const std::string& reason) {
  record.miss_reason = reason;
  cache.clear();
  cache.set_sequence_length(0);
  unseen_rows = 0;
  resident.reset();
}

void RequestState::note_first_token() {
  timing().ttft_service_seconds = seconds_since(service_start_ns);
  timing().ttft_seconds = timing().queue_seconds + timing().ttft_service_seconds;
}

void RequestState::keep_context_only(KvCache& of) const {
  if (resident) {  // a change of the cache would drop its rows on the device, which are its only ones
    of = resident->cache.share();
    return;
  }
  of.truncate(question_start);
  of.set_sequence_length(question_start);
}

}  // namespace kvantage::inline requests
