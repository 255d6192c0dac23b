#include "core/scheduler/request_scheduler.h"

#include <algorithm>
#include <utility>

namespace kvantage::inline scheduler {
namespace {

constexpr double patience_seconds = 0.001;  // to wait for bytes, when there is nothing else to do

/// Whether an older request is about to compute or to read the same context, which can then be read.
bool awaits_older(const RequestBatch& batch, const ServedRequest& request) {
  for (const ServedRequest& older : batch.requests()) {
    if (&older == &request) break;
    if (older.arrival.context == request.arrival.context && !older.noted) return true;
  }
  return false;
}

}  // namespace

void RequestScheduler::use(const Settings& settings) {
  // A frozen run completes all background work before the next request.
  batch_.set_limit(options_.frozen ? 1 : static_cast<std::size_t>(settings.max_batch));
  batch_.limit_prefill_batch(settings.prefill_batch_tokens);
  builder_.use(settings.policy, settings.attend_quantized, settings.decode_eviction, settings.decode_options);
  builder_.use_methods(settings.methods);
  builder_.offloads().use(settings.decode_offload, options_.frozen);
  const SpeculationSetting speculation = parse_speculation(settings.speculation).value_or(SpeculationSetting{});
  // Measured times must not decide in a frozen run.
  const bool by_time = speculation.mode == SpeculationMode::automatic;
  batch_.speculate(options_.frozen && by_time ? SpeculationSetting{} : speculation);
}

void RequestScheduler::begin_run(bool cold) {
  const Catalog& catalog = services_.catalog;
  if (cold) last_id_ = 0;
  longest_tokens_ = catalog.size() > 0 ? catalog.details(catalog.longest()).tokens.size() : 0;
  waiting_since_ns_ = 0;
  hold_until_one_ends_ = false;
  if (cold) builder_.offloads().forget_weights();  // every entry of the tiers was erased
  lookup_.begin_run();
  pool_.begin_run();
}

// Besides the running requests there must be space for one original, from which placements are built.
bool RequestScheduler::has_room(std::size_t blocks) const {
  std::size_t taken = blocks + services_.runtime.blocks_for(longest_tokens_);
  for (const ServedRequest& request : batch_.requests()) taken += request.reserved_blocks;
  return taken <= services_.runtime.pool->capacity_blocks();
}

bool RequestScheduler::admit(bool alone) {
  if (!has_free_place() || (any() && (alone || hold_until_one_ends_))) return false;
  if (!arrivals_.has_put_back() && (!arrivals_.is_due() || arrivals_.exhausted())) return false;
  Arrival next = arrivals_.front();
  if (any() && !has_room(builder_.blocks_needed(next))) {
    if (waiting_since_ns_ == 0) waiting_since_ns_ = serving_clock_.monotonic_ns();
    return false;
  }
  if (next.id == 0 && arrivals_.rate() <= 0) next.arrival_ns = waiting_since_ns_;
  waiting_since_ns_ = 0;
  arrivals_.pop();
  const ModelRuntime& runtime = services_.runtime;
  if (runtime.blocks_for(builder_.prompt_tokens(next) + 1) > runtime.pool->capacity_blocks()) {
    next.id = ++last_id_;
    builder_.refuse(next);
  } else {
    begin(next);
  }
  return true;
}

void RequestScheduler::begin(Arrival arrival) {
  listener_.about_to_begin();
  const bool again = arrival.id != 0;
  if (!again) arrival.id = ++last_id_;
  const std::int64_t now = serving_clock_.monotonic_ns();
  arrival.arrival_ns = arrival.arrival_ns > 0 ? std::min(now, arrival.arrival_ns) : now;
  RequestInput input = builder_.input_of(arrival);
  const AskedQuestion& asked = input.start.asked;
  if (!again)
    services_.events.publish(events::RequestStarted{asked.id, asked.context_id, asked.family, asked.question});
  const bool prefills = input.decode_offload != nullptr;
  FoundHit found = prefills ? FoundHit{} : lookup_.find(arrival.context, again);
  ServedRequest request = builder_.make(arrival, std::move(input), std::move(found));
  request.held_up = beside_profiling_.held_up(arrival.arrival_ns);
  const std::size_t entry = request.entry;
  batch_.add(std::move(request));
  lookup_.update_pin(entry);
}

bool RequestScheduler::awaits_bytes_alone() const {
  return !batch_.anybody(RequestTask::Need::compute) && !batch_.anybody(RequestTask::Need::token);
}

void RequestScheduler::step(bool may_wait) {
  const double patience = awaits_bytes_alone() && may_wait ? patience_seconds : 0;
  if (const auto failure = batch_.take_bytes(patience)) return handle_failure(*failure);
  const std::vector<RequestBatch::Failure> failures = batch_.decode_layer();
  pool_.publish_passes(batch_);
  for (const RequestBatch::Failure& failure : failures) handle_failure(failure);
  compute_step();
  bool ended = false;
  for (std::size_t place = 0; place < batch_.size();) {
    if (batch_.requests()[place].task->done()) {
      ended = true;
      finish(place);
    } else {
      ++place;
    }
  }
  pool_.sample(batch_, ended);
  if (any()) lookup_.prefetch();
}

void RequestScheduler::compute_step() {
  const auto oldest = batch_.next_to_compute();
  if (!oldest) return;
  const auto still_computes = [this](ServedRequest& request) {
    lookup_.retry(request);
    return request.task->needs() == RequestTask::Need::compute;  // else it now reads an entry stored meanwhile
  };
  if (!still_computes(batch_.requests()[*oldest])) return;
  const std::vector<std::size_t> places = batch_.computed_together(
      *oldest, [&](ServedRequest& request) { return !awaits_older(batch_, request) && still_computes(request); });
  std::vector<bool> reading;
  for (const std::size_t place : places) reading.push_back(batch_.requests()[place].task->reading());
  const std::vector<RequestBatch::Failure> failures = batch_.compute(places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    ServedRequest& request = batch_.requests()[places[i]];
    const bool failed = std::ranges::find(failures, request.arrival.id, &RequestBatch::Failure::id) != failures.end();
    if (!failed) note_step(request, reading[i]);
  }
  for (const RequestBatch::Failure& failure : failures) handle_failure(failure);
}

void RequestScheduler::note_step(ServedRequest& request, bool was_reading) {
  if (was_reading && !request.task->reading()) lookup_.update_pin(request.entry);
  if (!request.noted && context_is_ready(*request.task)) note_context(request);
  const OffloadedDecodeStage* offload = request.task->offload();
  if (request.task->needs() == RequestTask::Need::token || (offload != nullptr && offload->is_offloaded()))
    builder_.reserve_for_decode(request);
}

// Before decode_offload returns the context's blocks. Otherwise at the first token, if others may need the context, or
// decode-time eviction will change it, from the request's next step on.
bool RequestScheduler::context_is_ready(RequestTask& task) const {
  if (task.offload() != nullptr && task.offload()->leaves_memory()) return true;
  const DecodeStage& decode = task.decode();
  return decode.has_begun() && !decode.done() && (batch_.limit() > 1 || decode.changes_context());
}

// The next request about it need not wait for the end of this answer.
void RequestScheduler::note_context(ServedRequest& request) {
  request.noted = true;
  listener_.context_served(request);
}

void RequestScheduler::finish(std::size_t place) {
  ServedRequest request = take_out(place);
  listener_.answered(request);
  if (!request.noted) note_context(request);
  listener_.ended(request);
}

ServedRequest RequestScheduler::take_out(std::size_t place) {
  ServedRequest request = batch_.take_out(place);
  hold_until_one_ends_ = false;
  listener_.room_again();
  lookup_.update_pin(request.entry);
  return request;
}

// The request that finds no free block is not at fault: cached memory is freed first, then the youngest request is
// preempted and restarts later. Any other error ends this request.
void RequestScheduler::handle_failure(const RequestBatch::Failure& failure) {
  const auto place = batch_.place_of(failure.id);
  if (!place) return;
  ServedRequest& failed = batch_.requests()[*place];
  if (failed.task->offload() != nullptr && failed.task->offload()->failed()) {
    failed.arrival.offload_failed = true;
    builder_.offloads().forget_weights();
    services_.events.publish(events::Message{
        "warning", "decode offload: the request begins again with its context in memory: " + failure.error.message});
    return preempt(*place);
  }
  if (failure.error.code == ErrorCode::no_space) {
    const bool freed = listener_.free_memory();
    // It lost rows of its entry and must restart.
    const bool half_read = batch_.requests()[*place].task->needs() == RequestTask::Need::bytes;
    if (freed && !half_read) return;
    if (freed || batch_.size() > 1) return preempt(half_read ? *place : batch_.size() - 1);
  }
  services_.events.publish(events::Message{"error", "request failed: " + failure.error.message});
  cancel(*place);
}

void RequestScheduler::preempt(std::size_t place) {
  ServedRequest request = take_out(place);
  Arrival arrival = request.arrival;
  arrival.shown_bytes = std::max(arrival.shown_bytes, *request.shown_bytes);
  request.task.reset();
  lookup_.update_pin(request.entry);
  arrivals_.put_back(arrival);
  counters_.note_requeued();
  hold_until_one_ends_ = true;
}

void RequestScheduler::cancel(std::size_t place) {
  ServedRequest request = take_out(place);
  events::RequestFinished ended{request.task->record()};
  request.task.reset();  // returns blocks and buffers
  lookup_.update_pin(request.entry);
  ended.record.cancelled = true;
  services_.events.publish(std::move(ended));
}

void RequestScheduler::cancel_all() {
  while (any()) cancel(0);
  arrivals_.drop_put_back();
}

RequestsNow RequestScheduler::requests_now() const {
  RequestsNow now{.any = any(), .await_bytes = batch_.anybody(RequestTask::Need::bytes)};
  for (const ServedRequest& request : batch_.requests()) now.reserved_blocks += request.reserved_blocks;
  return now;
}

}  // namespace kvantage::inline scheduler
