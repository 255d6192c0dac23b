#include "core/engine/request_outcomes.h"

#include <utility>

#include "core/policy/access_statistics.h"

namespace kvantage::inline engine {

void RequestOutcomes::context_served(ServedRequest& request) {
  Catalog& catalog = services_.catalog;
  const std::size_t context = request.arrival.context;
  RequestTask& task = *request.task;
  // If the entry was rewritten during the read, the failed version is no longer stored.
  if (task.failed_read() && request.entry_header.lock() == catalog.details(request.entry).header)
    services_.store.drop(request.entry, *task.failed_read());
  const Configuration served_from = catalog.residency(request.entry).placement;
  parts_.learn_costs(task, served_from);
  parts_.learn_hit(task, request.entry, served_from);
  parts_.publish_costs();
  if (!std::exchange(request.arrival.counted, true)) {
    note_request(catalog.snapshot(), context, task.record().id);
    parts_.dispatch_event({.kind = PolicyEvent::Kind::requested, .context = catalog.facts(context).key});
  }
  catalog.mark_changed();
  if (task.computed_original()) keep_original(request);
}

void RequestOutcomes::keep_original(ServedRequest& request) {
  const std::size_t context = request.arrival.context;
  const ContextState& state = services_.catalog.state(context);
  RequestTask& task = *request.task;
  const Policy& policy = parts_.policy();
  const bool keeps = policy.admission(state).stored() || policy.is_planner();
  PrefillObservations observed = task.take_observations();
  services_.store.originals().keep(context, task.share_context(), std::move(observed.queries), keeps,
                                   std::move(observed.inputs));
  services_.events.publish(events::ContextComputed{state.key, state.id, state.tokens, state.full_bytes,
                                                   task.record().timing.context_prefill_seconds, state.archived});
  parts_.dispatch_event({.kind = PolicyEvent::Kind::context_computed, .context = state.key});
  placing_turn_ = true;
}

void RequestOutcomes::answered(ServedRequest& request) {
  RequestTask& task = *request.task;
  const RequestRecord& record = task.record();
  placing_turn_ = true;
  parts_.measure_quality(task, request.arrival.context, request.arrival.question);
  parts_.count_first_token();
  parts_.count_serving(record.timing.lookup_seconds + record.timing.decode_seconds);
  if (record.decoding.used()) parts_.count_decoding(record.decoding);
  spans_.keep(task.take_spans());  // listeners may query them as soon as the event is published
  services_.events.publish(events::RequestFinished{record});
}

void RequestOutcomes::ended(ServedRequest& request) {
  const std::size_t context = request.arrival.context;
  const RequestRecord& record = request.task->record();
  // Profiles are measured without decode-time eviction, so its answers say nothing of a profile's drift.
  if (parts_.policy().is_planner() && record.decoding.eviction.empty() &&
      parts_.note_answer(record, record, context, request.arrival.question, request.entry))
    parts_.dispatch_event(
        {.kind = PolicyEvent::Kind::profile_changed, .context = services_.catalog.facts(context).key});
  parts_.recheck_curves();
  services_.catalog.mark_changed();
  ended_ = true;
}

bool RequestOutcomes::free_memory() {
  const bool original = services_.store.originals().forget();
  const bool profile = parts_.free_memory_of_profile();
  const bool inspected = parts_.free_memory_of_inspection();
  return original || profile || inspected;
}

void RequestOutcomes::room_again() {
  parts_.retry_profile();
  parts_.retry_inspection();
}

}  // namespace kvantage::inline engine
