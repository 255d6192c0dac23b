#include "core/request/load_stage.h"

#include <algorithm>
#include <utility>

#include "core/compress/method.h"
#include "core/compress/rerotate.h"
#include "core/model/unseen_rows.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline requests {

LoadStage::LoadStage(RequestState& state, CacheHit hit, std::unique_ptr<LoadTask> load)
    : HitStage(std::move(hit)), state_(state), inputs_(*state.runtime.model, state.clock), load_(std::move(load)) {
  load_->recompute_with(inputs_);
}

Status LoadStage::poll(double wait_seconds, int layers) {
  const std::int64_t start = state_.clock.monotonic_ns();
  if (waiting_since_ns_ == 0) waiting_since_ns_ = start;
  const bool question_follows = next_ == Next::question;
  const bool arrived = question_follows && load_->layer_arrived(restored_layers_);
  Status status;
  if (!arrived) status = load_->pump(wait_seconds);
  // This request waits even while others compute: it has nothing else to do.
  state_.timing().load_seconds +=
      state_.spans.add(RequestSpan::Kind::wait, waiting_since_ns_, state_.clock.monotonic_ns());
  note_arrivals();
  if (status) {
    status = question_follows ? restore_arrived(layers) : use_header();
    if (!status && status.error().code == ErrorCode::no_space)
      return status;  // the pool is full: not a fault of the entry
  }
  if (!status) miss(load_->failure(status.error()));
  // Time spent unpacking is counted as unpacking.
  const bool still_waits = next_ == Next::this_stage || (next_ == Next::question && !has_layer(layers - 1));
  waiting_since_ns_ = still_waits ? state_.clock.monotonic_ns() : 0;
  return {};
}

// Arrivals have the tier's clock, everything here the serving clock.
void LoadStage::note_arrivals() {
  const auto& arrivals = load_->arrivals();
  if (noted_arrivals_ == arrivals.size()) return;
  const std::int64_t now = state_.clock.monotonic_ns(), ahead = load_->arrival_clock().monotonic_ns() - now;
  for (; noted_arrivals_ < arrivals.size(); ++noted_arrivals_) {
    const LoadTask::Arrival& arrival = arrivals[noted_arrivals_];
    state_.spans.add_read(arrival.submitted_ns - ahead, arrival.arrived_ns - ahead, arrival.device_seconds,
                          state_.clock.monotonic_ns(),
                          {.layer = static_cast<std::int16_t>(arrival.layer), .bytes = arrival.bytes});
  }
}

// After the header, either the question follows the load layer by layer, or the rest of the context is computed first.
Status LoadStage::use_header() {
  if (!load_->has_header()) return {};
  const auto& ids = load_->header()->token_ids;
  const std::span<const std::int32_t> wanted = state_.input.context_tokens;
  if (ids.size() != hit_.prefix_tokens || !std::equal(ids.begin(), ids.end(), wanted.begin())) {
    miss({{ErrorCode::corrupt, "entry holds other tokens than this request's"}, {}});
    return {};
  }
  hit_.header = load_->header();
  const bool whole = hit_.prefix_tokens == wanted.size();
  const auto method = parse_stored_method(hit_.method);
  const bool rerotates = method && (*method)->info().rerotates;
  if (whole && !rerotates) {
    if (hit_.removed_fraction == 0) note_unseen_rows(hit_.header->kept_rows, ids.size());
    // Encoded rows have no positions, by which layers with a sliding window leave rows out.
    if (state_.input.reading.attend_quantized && !state_.runtime.model->config().has_windows()) load_->leave_encoded();
    next_ = Next::question;
    return {};
  }
  const int layers = load_->header()->shape.layers;
  KV_TRY(restore_arrived(layers));
  if (restored_layers_ < layers) return {};
  if (rerotates) {  // keys shift by the number of evicted tokens before them, so the whole layer must be complete
    KV_ASSIGN(auto moved, rerotated(state_.cache, state_.runtime.model->rope()));
    state_.cache = std::move(moved);
    if (whole) {
      next_ = Next::question;
      return {};
    }
  }
  use_prefix();
  return {};
}

// An uncompressed prefix is used up to a whole chunk, so that the rest is computed in the same chunks as without a
// cache, bit for bit. It also ends far enough from the end of the context that the query window is computed.
void LoadStage::use_prefix() {
  std::size_t from = hit_.prefix_tokens;
  if (holds_original(hit_.method, hit_.removed_fraction)) {
    const auto chunk = static_cast<std::size_t>(state_.runtime.chunk_tokens());
    const std::size_t total = state_.input.context_tokens.size();
    from = std::min(from / chunk * chunk, static_cast<std::size_t>(first_continuation(state_.runtime, total)));
    // Never so of entries made with the same settings.
    if (!has_seen_rows(*state_.runtime.model, state_.cache, static_cast<std::int32_t>(from))) from = 0;
    state_.cache.truncate(static_cast<std::int32_t>(from));
    state_.cache.set_sequence_length(static_cast<std::int32_t>(from));
  }
  if (hit_.removed_fraction == 0) note_unseen_rows(state_.cache.kept_rows(), from);
  rest_from_ = from;
  next_ = Next::rest_of_context;
}

// An entry of which nothing was removed has no others, and its record counts these as kept.
void LoadStage::note_unseen_rows(std::uint64_t held, std::size_t tokens) {
  if (!state_.runtime.model->config().has_windows()) return;
  const KvShape& shape = state_.cache.shape();
  const std::size_t all = tokens * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  if (held < all) state_.unseen_rows += all - held;
}

Status LoadStage::restore_arrived(int layers) {
  while (restored_layers_ < layers && load_->layer_arrived(restored_layers_)) {
    const std::int64_t start = state_.clock.monotonic_ns();
    const std::uint64_t bytes = load_->stored(restored_layers_).size();
    KV_TRY(load_->restore(restored_layers_, state_.cache));
    if (next_ == Next::question) {  // the question follows at once: nothing truncates the context
      const auto question = static_cast<std::int32_t>(state_.input.context_tokens.size());
      KV_ASSIGN(const std::size_t unseen,
                evict_unseen_rows(*state_.runtime.model, state_.cache, restored_layers_, question));
      state_.unseen_rows += unseen;
    }
    const auto kind = inputs_.done().tokens > 0 ? RequestSpan::Kind::recompute : RequestSpan::Kind::unpack;
    state_.timing().decode_seconds +=
        state_.spans.add(kind, start, state_.clock.monotonic_ns(),
                         {.layer = static_cast<std::int16_t>(restored_layers_), .bytes = bytes});
    ++restored_layers_;
  }
  return {};
}

void LoadStage::fill_in(CacheUse& use) {
  use.source = hit_.place.bytes_in_flight != nullptr ? write_back_source : hit_.place.tier_name;
  use.miss_reason.clear();
  use.method = hit_.method;
  use.removed_fraction = hit_.removed_fraction;
  use.bytes_loaded = load_->bytes();
  use.compute_or_load.tokens_from_inputs = inputs_.done().tokens;
  use.compute_or_load.recompute_seconds = inputs_.done().seconds;
  use.timing.device_seconds = load_->device_seconds();
  if (use.timing.context_prefill_seconds == 0) use.prefix_hit_tokens = static_cast<int>(hit_.prefix_tokens);
  use.provenance = hit_.place.throttled ? Provenance::throttled : Provenance::measured;
  // Neither a copy from memory characterizes the tier, nor one to the host where entries stay on the device.
  if (hit_.place.bytes_in_flight == nullptr &&
      (state_.runtime.model->device() == nullptr || hit_.place.tier->resident() == nullptr))
    load_sample_ = {.bytes = load_->bytes(),
                    .kept_tokens = use.kept_tokens,
                    .device_seconds = load_->device_seconds(),
                    .decode_seconds = use.timing.decode_seconds};
  load_.reset();
}

}  // namespace kvantage::inline requests
