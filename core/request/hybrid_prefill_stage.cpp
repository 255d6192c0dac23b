#include "core/request/hybrid_prefill_stage.h"

#include <utility>

#include "core/request/compute_or_load_choice.h"

namespace kvantage::inline requests {

HybridPrefillStage::HybridPrefillStage(RequestState& state, const CacheHit& hit,
                                       std::unique_ptr<HybridPrefillTask> task, std::int64_t start_ns)
    : HitStage(hit), state_(state), task_(std::move(task)), start_ns_(start_ns) {}

std::unique_ptr<HybridPrefillStage> HybridPrefillStage::begin(RequestState& state, const CacheHit& hit,
                                                              BufferLender& lender) {
  if (hit.choice == nullptr) return nullptr;
  const std::int64_t start = state.clock.monotonic_ns();
  auto begun =
      HybridPrefillTask::begin(*state.runtime.model, hit.choice->stored, lender, state.cache, hit.choice->options);
  if (!begun) return nullptr;
  return std::unique_ptr<HybridPrefillStage>(new HybridPrefillStage(state, hit, std::move(*begun), start));
}

RequestNeed HybridPrefillStage::needs() const {
  return task_->needs() == HybridPrefillTask::Need::compute ? RequestNeed::compute : RequestNeed::bytes;
}

Status HybridPrefillStage::poll(double wait_seconds, int /*layers*/) {
  const Status status =
      task_->needs() == HybridPrefillTask::Need::bytes ? wait_for_bytes(wait_seconds) : unpack_piece();
  if (!status) return give_up(status);
  if (task_->needs() != HybridPrefillTask::Need::bytes) waiting_since_ns_ = 0;
  if (task_->needs() == HybridPrefillTask::Need::nothing) end();
  return {};
}

Status HybridPrefillStage::wait_for_bytes(double wait_seconds) {
  if (waiting_since_ns_ == 0) waiting_since_ns_ = state_.clock.monotonic_ns();
  Status status = task_->wait(wait_seconds);
  const std::int64_t now = state_.clock.monotonic_ns();
  state_.timing().load_seconds += state_.spans.add(RequestSpan::Kind::wait, waiting_since_ns_, now);
  waiting_since_ns_ = now;
  return status;
}

Status HybridPrefillStage::unpack_piece() {
  const std::int64_t start = state_.clock.monotonic_ns();
  const int piece = task_->next_piece();
  const std::uint64_t before = task_->done().loaded_bytes;
  Status status = task_->unpack();
  state_.timing().decode_seconds += state_.spans.add(RequestSpan::Kind::unpack, start, state_.clock.monotonic_ns(),
                                                     {.step = piece, .bytes = task_->done().loaded_bytes - before});
  return status;
}

Status HybridPrefillStage::compute() {
  const std::int64_t start = state_.clock.monotonic_ns();
  const HybridPrefillTask::Step step = task_->next_step();
  const Status status = task_->compute();
  if (!status) return give_up(status);
  state_.timing().context_prefill_seconds +=
      state_.spans.add(RequestSpan::Kind::context_prefill, start, state_.clock.monotonic_ns(),
                       {.layer = static_cast<std::int16_t>(step.layer), .step = step.chunk, .tokens = step.tokens});
  if (task_->needs() == HybridPrefillTask::Need::nothing) end();
  return {};
}

// A full pool is not a fault of the entry; all other errors make this a miss.
Status HybridPrefillStage::give_up(const Status& status) {
  if (status.error().code == ErrorCode::no_space) return status;
  miss({status.error(), task_->done().miss_reason});
  return {};
}

void HybridPrefillStage::end() {
  result_ = task_->done();
  task_.reset();
  // Arrivals have the tier's clock, everything here the serving clock.
  const std::int64_t ahead = hit_.choice->stored.tier->clock().monotonic_ns() - state_.clock.monotonic_ns();
  for (const PieceArrival& arrival : result_.arrivals)
    state_.spans.add_read(
        arrival.submitted_ns - ahead, arrival.arrived_ns - ahead, arrival.device_seconds, state_.clock.monotonic_ns(),
        {.layer = static_cast<std::int16_t>(arrival.layer), .step = arrival.piece, .bytes = arrival.bytes});
  // The request got all it needed; the failure is reported to the store.
  if (!result_.loader)
    failure_ = ReadFailure{result_.loader.error(), result_.miss_reason};
  else if (result_.damaged_pieces > 0)
    failure_ = ReadFailure{result_.damage.error(), result_.miss_reason};
  next_ = Next::question;
}

void HybridPrefillStage::fill_in(CacheUse& use) {
  ComputeOrLoadRecord& hybrid = use.compute_or_load;
  hybrid.computed_tokens = result_.computed_tokens;
  hybrid.loaded_tokens = result_.loaded_tokens;
  hybrid.predicted_seconds = hit_.choice->predicted_seconds;
  hybrid.load_alone_seconds = hit_.choice->load_alone_seconds;
  hybrid.seconds = state_.seconds_since(start_ns_);
  use.method = hit_.method;
  use.removed_fraction = hit_.removed_fraction;
  use.bytes_loaded = result_.loaded_bytes + result_.dropped_bytes;
  use.timing.device_seconds = result_.device_seconds;
  use.prefix_hit_tokens = result_.loaded_tokens;
  use.provenance = hit_.place.throttled ? Provenance::throttled : Provenance::measured;
  if (result_.loaded_tokens == 0) return fill_in_computed(use);
  use.source = hit_.place.tier_name;
  use.miss_reason.clear();
  if (!failure_ && !result_.arrivals.empty()) load_sample_ = sample_of(use);
}

// Only the entry's list of kept tokens was used.
void HybridPrefillStage::fill_in_computed(CacheUse& use) const {
  use.source = "prefill";
  use.miss_reason.clear();  // from the lookup before: the entry was found
  if (failure_) use.miss_reason = failure_->entry_is_lost() ? to_string(failure_->error.code) : failure_->miss_reason;
  if (use.miss_reason.empty()) use.miss_reason = recompute_was_faster_reason;
  if (!failure_ && result_.arrivals.empty()) use.provenance = Provenance::measured;  // no tier was used
}

// Each read of a piece is a separate load for the tier: the sample is their mean.
LoadSample HybridPrefillStage::sample_of(const CacheUse& use) const {
  const EntryHeader& header = *hit_.header;
  const auto reads = static_cast<double>(result_.arrivals.size()) / header.shape.layers;
  const double kept = static_cast<double>(header.kept_rows) / (header.shape.layers * header.shape.kv_heads) /
                      static_cast<double>(header.token_ids.size());
  return {.bytes = static_cast<std::uint64_t>(static_cast<double>(use.bytes_loaded) / reads),
          .kept_tokens = static_cast<int>(kept * result_.loaded_tokens),
          .device_seconds = result_.device_seconds / reads,
          .decode_seconds = use.timing.decode_seconds};
}

}  // namespace kvantage::inline requests
