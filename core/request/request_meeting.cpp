// The part of RequestTask that serves a stored context by compute-or-load: its front is prefilled, one layer of one
// chunk a step, while a thread of the task's own reads its back (core/load/load_or_compute.h).
#include "core/request/compute_or_load_choice.h"
#include "core/request/request_task.h"

namespace kvantage {

bool RequestTask::begin_meeting() {
  if (hit_->choice == nullptr) return false;
  meeting_start_ns_ = clock_.monotonic_ns();
  auto begun = ComputeOrLoadTask::begin(*runtime_.model, hit_->choice->stored, lender_, cache_, hit_->choice->options);
  if (!begun) return false;  // what speaks against it is found, and said, by loading
  meeting_ = std::move(*begun);
  phase_ = Phase::meeting;
  return true;
}

bool RequestTask::meeting_needs_compute() const { return meeting_->needs() == ComputeOrLoadTask::Need::compute; }

Status RequestTask::poll_meeting(double wait_seconds) {
  RequestTiming& timing = input_.record.timing;
  if (meeting_->needs() == ComputeOrLoadTask::Need::bytes) {
    if (waiting_since_ns_ == 0) waiting_since_ns_ = clock_.monotonic_ns();
    const Status status = meeting_->wait(wait_seconds);
    const std::int64_t now = clock_.monotonic_ns();
    timing.load_seconds += spans_.add(RequestSpan::Kind::wait, waiting_since_ns_, now);
    waiting_since_ns_ = now;
    if (!status) return give_up_meeting(status);
  } else {
    const std::int64_t start = clock_.monotonic_ns();
    const int piece = meeting_->next_piece();
    const std::uint64_t before = meeting_->done().loaded_bytes;
    const Status status = meeting_->unpack();
    timing.decode_seconds += spans_.add(RequestSpan::Kind::unpack, start, clock_.monotonic_ns(),
                                        {.step = piece, .bytes = meeting_->done().loaded_bytes - before});
    if (!status) return give_up_meeting(status);
  }
  if (meeting_->needs() != ComputeOrLoadTask::Need::bytes) waiting_since_ns_ = 0;
  if (meeting_->needs() == ComputeOrLoadTask::Need::nothing) end_meeting();
  return {};
}

Status RequestTask::compute_meeting() {
  const ComputeOrLoadTask::Step step = meeting_->next_step();
  const Status status = meeting_->compute();
  if (!status && status.error().code == ErrorCode::no_space) return status;
  if (!status) return give_up_meeting(status);
  input_.record.timing.context_prefill_seconds +=
      spans_.add(RequestSpan::Kind::context_prefill, phase_start_ns_, clock_.monotonic_ns(),
                 {.layer = static_cast<std::int16_t>(step.layer), .step = step.chunk, .tokens = step.tokens});
  if (meeting_->needs() == ComputeOrLoadTask::Need::nothing) end_meeting();
  return {};
}

// Room in our pool says nothing about the entry; whatever else goes wrong is a miss.
Status RequestTask::give_up_meeting(const Status& status) {
  if (status.error().code == ErrorCode::no_space) return status;
  waiting_since_ns_ = 0;
  give_up_hit({status.error(), meeting_->done().miss_reason});
  return {};
}

void RequestTask::end_meeting() {
  met_ = meeting_->done();
  meeting_.reset();
  // Arrivals are stamped on the clock of the tier, everything here is on the clock of serving.
  const std::int64_t ahead = hit_->choice->stored.tier->clock().monotonic_ns() - clock_.monotonic_ns();
  for (const PieceArrival& arrival : met_->arrivals)
    note_read(ahead, arrival.arrived_ns, arrival.submitted_ns, arrival.device_seconds,
              {.layer = static_cast<std::int16_t>(arrival.layer), .step = arrival.piece, .bytes = arrival.bytes});
  // The request had what it needed all the same; the store hears of it.
  if (!met_->loader)
    failed_read_ = ReadFailure{met_->loader.error(), met_->miss_reason};
  else if (met_->damaged_pieces > 0)
    failed_read_ = ReadFailure{met_->damage.error(), met_->miss_reason};
  begin_question();
}

void RequestTask::record_meeting() {
  RequestRecord& record = input_.record;
  ComputeOrLoadRecord& meeting = record.compute_or_load;
  meeting.computed_tokens = met_->computed_tokens;
  meeting.loaded_tokens = met_->loaded_tokens;
  meeting.predicted_seconds = hit_->choice->predicted_seconds;
  meeting.load_alone_seconds = hit_->choice->load_alone_seconds;
  meeting.seconds = seconds_since(meeting_start_ns_);
  record.method = hit_->method;
  record.removed_fraction = hit_->removed_fraction;
  record.bytes_loaded = met_->loaded_bytes + met_->dropped_bytes;
  record.timing.device_seconds = met_->device_seconds;
  record.prefix_hit_tokens = met_->loaded_tokens;
  record.provenance = hit_->shaped ? Provenance::shaped : Provenance::measured;
  if (met_->loaded_tokens == 0) {  // nothing of the entry could be used but what it keeps
    record.source = "prefill";
    record.miss_reason.clear();  // of what was looked up before: the entry was found
    if (failed_read_)
      record.miss_reason =
          failed_read_->entry_is_lost() ? to_string(failed_read_->error.code) : failed_read_->miss_reason;
    if (record.miss_reason.empty()) record.miss_reason = computed_sooner_reason;
    if (!failed_read_ && met_->arrivals.empty()) record.provenance = Provenance::measured;  // no tier was waited for
    return;
  }
  record.source = hit_->tier_name;
  record.miss_reason.clear();
  if (failed_read_ || met_->arrivals.empty()) return;
  // A read of a piece is a load of its own to the tier: one of their mean size.
  const auto reads = static_cast<double>(met_->arrivals.size()) / hit_->header->shape.layers;
  const double kept = static_cast<double>(hit_->header->kept_rows) /
                      (hit_->header->shape.layers * hit_->header->shape.kv_heads) / record.context_tokens;
  load_sample_ = {.bytes = static_cast<std::uint64_t>(static_cast<double>(record.bytes_loaded) / reads),
                  .kept_tokens = static_cast<int>(kept * met_->loaded_tokens),
                  .device_seconds = met_->device_seconds / reads,
                  .decode_seconds = record.timing.decode_seconds};
}

}  // namespace kvantage
