#include "core/request/request_task.h"

#include <algorithm>

#include "core/base/statistics.h"
#include "core/compress/method.h"
#include "core/compress/rerotate.h"
#include "core/model/sampling.h"

namespace kvantage {

std::unique_ptr<LoadTask> CacheHit::load(BufferLender& lender) const {
  if (at_hand != nullptr) return std::make_unique<LoadTask>(at_hand, header, false);
  return std::make_unique<LoadTask>(*tier, info, header, lender, false);
}

RequestTask::RequestTask(ModelRuntime& runtime, BufferLender& lender, const Clock& clock, RequestInput input,
                         std::optional<CacheHit> hit, double lookup_seconds, TextCallback on_text,
                         std::unique_ptr<LoadTask> begun_load)
    : runtime_(runtime),
      lender_(lender),
      clock_(clock),
      input_(std::move(input)),
      hit_(std::move(hit)),
      on_text_(std::move(on_text)),
      cache_(*runtime.pool),
      stream_(runtime.tokenizer),
      stop_ids_(runtime.stop_ids()) {
  const auto lookup_ns = static_cast<std::int64_t>(lookup_seconds * 1e9);
  service_start_ns_ = clock_.monotonic_ns() - lookup_ns;
  RequestRecord& record = input_.record;
  record.context_tokens = static_cast<int>(input_.context_tokens.size());
  record.question_tokens = static_cast<int>(input_.question_tokens.size());
  record.timing.lookup_seconds = lookup_seconds;
  const std::int64_t arrival_ns = std::min(input_.arrival_ns, service_start_ns_);
  record.timing.queue_seconds = static_cast<double>(service_start_ns_ - arrival_ns) * 1e-9;
  spans_.begin(record.id, runtime.model->kv_shape().layers, arrival_ns);
  if (service_start_ns_ > arrival_ns) spans_.add(RequestSpan::Kind::queue, arrival_ns, service_start_ns_);
  spans_.add(RequestSpan::Kind::lookup, service_start_ns_, service_start_ns_ + lookup_ns);
  if (hit_) {
    load_ = std::move(begun_load);
    if (load_ == nullptr) begin_hit();
  } else {
    if (record.miss_reason.empty()) record.miss_reason = "absent";
    begin_context_prefill(0);
  }
}

RequestTask::~RequestTask() = default;

void RequestTask::begin_hit() {
  phase_ = Phase::load;
  if (!begin_meeting()) load_ = hit_->load(lender_);
}

double RequestTask::seconds_since(std::int64_t start_ns) const {
  return static_cast<double>(clock_.monotonic_ns() - start_ns) * 1e-9;
}

// The question of a cache that is still loading needs the layer it is about to compute.
bool RequestTask::layer_is_missing() const {
  return load_ != nullptr && prefill_->next_chunk() == 0 && restored_layers_ <= prefill_->next_layer();
}

RequestTask::Need RequestTask::needs() const {
  switch (phase_) {
    case Phase::load:
      return Need::bytes;
    case Phase::meeting:
      return meeting_needs_compute() ? Need::compute : Need::bytes;
    case Phase::context_prefill:
      return Need::compute;
    case Phase::question_prefill:
      return layer_is_missing() ? Need::bytes : Need::compute;
    case Phase::decode:
      return Need::token;
    case Phase::done:
      return Need::nothing;
  }
  return Need::nothing;
}

Status RequestTask::poll(double wait_seconds) {
  if (needs() != Need::bytes) return {};
  if (phase_ == Phase::meeting) return poll_meeting(wait_seconds);
  RequestTiming& timing = input_.record.timing;
  const std::int64_t start = clock_.monotonic_ns();
  if (waiting_since_ns_ == 0) waiting_since_ns_ = start;
  const bool arrived = phase_ == Phase::question_prefill && load_->layer_arrived(restored_layers_);
  Status status;
  if (!arrived) status = load_->pump(wait_seconds);
  // All that others computed meanwhile is waiting, too: nothing else could be done for this request.
  timing.load_seconds += spans_.add(RequestSpan::Kind::wait, waiting_since_ns_, clock_.monotonic_ns());
  note_arrivals();
  if (status) {
    status = phase_ == Phase::load ? take_entry() : restore_arrived(prefill_->next_layer() + 1);
    if (!status && status.error().code == ErrorCode::no_space)
      return status;  // of our pool: it says nothing about the entry
  }
  if (!status) give_up_hit(load_->failure(status.error()));
  waiting_since_ns_ =
      needs() == Need::bytes ? clock_.monotonic_ns() : 0;  // what was unpacked meanwhile is counted as that
  return {};
}

// Arrivals are stamped on the clock of the tier, everything here is on the clock of serving.
void RequestTask::note_arrivals() {
  const auto& arrivals = load_->arrivals();
  if (noted_arrivals_ == arrivals.size()) return;
  const std::int64_t now = clock_.monotonic_ns(), ahead = load_->arrival_clock().monotonic_ns() - now;
  for (; noted_arrivals_ < arrivals.size(); ++noted_arrivals_) {
    const LoadTask::Arrival& arrival = arrivals[noted_arrivals_];
    note_read(ahead, arrival.arrived_ns, arrival.submitted_ns, arrival.device_seconds,
              {.layer = static_cast<std::int16_t>(arrival.layer), .bytes = arrival.bytes});
  }
}

void RequestTask::note_read(std::int64_t ahead, std::int64_t arrived_ns, std::int64_t submitted_ns,
                            double device_seconds, RequestSpan what) {
  spans_.add_read(submitted_ns - ahead, arrived_ns - ahead, device_seconds, clock_.monotonic_ns(), what);
}

Status RequestTask::compute() {
  phase_start_ns_ = clock_.monotonic_ns();
  if (phase_ == Phase::meeting) return compute_meeting();
  if (phase_ == Phase::context_prefill) return step_context();
  if (phase_ == Phase::question_prefill && !layer_is_missing()) return step_question();
  return {};
}

// The header is at hand: either the question follows the load layer by layer, or the rest of the context comes first.
Status RequestTask::take_entry() {
  if (!load_->has_header()) return {};
  const auto& ids = load_->header()->token_ids;
  if (ids.size() != hit_->prefix_tokens || !std::equal(ids.begin(), ids.end(), input_.context_tokens.begin())) {
    give_up_hit({{ErrorCode::corrupt, "entry holds other tokens than this request's"}, {}});
    return {};
  }
  hit_->header = load_->header();
  const bool whole = hit_->prefix_tokens == input_.context_tokens.size();
  const auto method = parse_method(hit_->method);
  const bool rerotates = method && (*method)->info().rerotates;
  if (whole && !rerotates) {
    if (input_.attend_coded) load_->leave_coded();
    begin_question();
    return {};
  }
  KV_TRY(restore_arrived(load_->header()->shape.layers));
  if (restored_layers_ < load_->header()->shape.layers) return {};
  if (rerotates) {  // keys move by how many tokens are gone before them: all of a layer is needed first
    KV_ASSIGN(auto moved, rerotated(cache_, runtime_.model->rope()));
    cache_ = std::move(moved);
    if (whole) {
      begin_question();
      return {};
    }
  }
  // An uncompressed prefix is used up to a whole chunk, so that the rest is computed in the chunks it would have had
  // without a cache (bit for bit the same), and far enough from the end that the window of last queries is computed.
  std::size_t from = hit_->prefix_tokens;
  if (holds_original(hit_->method, hit_->removed_fraction)) {
    const auto chunk = static_cast<std::size_t>(runtime_.chunk_tokens());
    const auto window = static_cast<std::size_t>(runtime_.window_queries);
    const std::size_t total = input_.context_tokens.size();
    from = std::min(from, total - std::min(total, window)) / chunk * chunk;
    cache_.truncate(static_cast<std::int32_t>(from));
    cache_.set_sequence_length(static_cast<std::int32_t>(from));
  }
  begin_context_prefill(from);
  return {};
}

Status RequestTask::restore_arrived(int layers_wanted) {
  RequestTiming& timing = input_.record.timing;
  while (restored_layers_ < layers_wanted && load_->layer_arrived(restored_layers_)) {
    const std::int64_t start = clock_.monotonic_ns();
    const std::uint64_t bytes = load_->layer_bytes(restored_layers_);
    KV_TRY(load_->restore(restored_layers_, cache_));
    timing.decode_seconds += spans_.add(RequestSpan::Kind::unpack, start, clock_.monotonic_ns(),
                                        {.layer = static_cast<std::int16_t>(restored_layers_), .bytes = bytes});
    ++restored_layers_;
  }
  return {};
}

void RequestTask::begin_context_prefill(std::size_t from_token) {
  RequestRecord& record = input_.record;
  record.prefix_hit_tokens = static_cast<int>(from_token);
  const bool original_below = from_token == 0 || !hit_ || holds_original(hit_->method, hit_->removed_fraction);
  computed_original_ = original_below;
  std::vector<std::int32_t> rest(input_.context_tokens.begin() + static_cast<std::ptrdiff_t>(from_token),
                                 input_.context_tokens.end());
  prefill_ = std::make_unique<PrefillTask>(
      *runtime_.model, cache_, std::move(rest), from_token == 0 ? 0 : cache_.sequence_length(),
      PrefillOptions{.chunk_tokens = runtime_.chunk_tokens(),
                     .window_queries = original_below ? runtime_.window_queries : 0,
                     .logits = PrefillLogits::none});
  phase_ = Phase::context_prefill;
}

void RequestTask::take_hit(CacheHit hit) {
  hit_ = std::move(hit);
  prefill_.reset();
  computed_original_ = false;
  begin_hit();
}

KvCache RequestTask::share_context() const {
  KvCache context = cache_.share();
  context.truncate(question_start_);
  context.set_sequence_length(question_start_);
  return context;
}

double RequestTask::note_prefill(RequestSpan::Kind kind, int layer, int chunk) {
  const std::int32_t all = prefill_->end_position() - prefill_->first_position(), of_chunk = runtime_.chunk_tokens();
  return spans_.add(
      kind, phase_start_ns_, clock_.monotonic_ns(),
      {.layer = static_cast<std::int16_t>(layer), .step = chunk, .tokens = std::min(of_chunk, all - chunk * of_chunk)});
}

void RequestTask::note_decoding(std::int64_t start_ns, std::int64_t end_ns, int layer, std::size_t together) {
  spans_.add(RequestSpan::Kind::decode, start_ns, end_ns,
             {.layer = static_cast<std::int16_t>(layer),
              .step = static_cast<std::int32_t>(answer_.size()),
              .tokens = static_cast<std::int32_t>(together)});
}

Status RequestTask::step_context() {
  begun_prefill_ = true;
  const int layer = prefill_->next_layer(), chunk = prefill_->next_chunk();
  KV_TRY(prefill_->step());
  input_.record.timing.context_prefill_seconds += note_prefill(RequestSpan::Kind::context_prefill, layer, chunk);
  if (!prefill_->done()) return {};
  queries_ = prefill_->take_window_queries();
  begin_question();
  return {};
}

void RequestTask::begin_question() {
  // A cache that is still loading has seen no token yet: its context's length is what will be.
  const bool loading = load_ != nullptr && restored_layers_ < load_->header()->shape.layers;
  question_start_ = loading ? static_cast<std::int32_t>(input_.context_tokens.size()) : cache_.sequence_length();
  prefill_ = std::make_unique<PrefillTask>(*runtime_.model, cache_, input_.question_tokens, question_start_,
                                           PrefillOptions{.chunk_tokens = runtime_.chunk_tokens(),
                                                          .window_queries = 0,
                                                          .logits = PrefillLogits::last,
                                                          .rows_may_stay = true});
  phase_ = Phase::question_prefill;
}

Status RequestTask::step_question() {
  RequestTiming& timing = input_.record.timing;
  const int layer = prefill_->next_layer(), chunk = prefill_->next_chunk();
  KV_TRY(prefill_->step());
  timing.question_prefill_seconds += note_prefill(RequestSpan::Kind::question_prefill, layer, chunk);
  if (!prefill_->done()) return {};

  take_token(prefill_->logits());
  timing.ttft_service_seconds = seconds_since(service_start_ns_);
  timing.ttft_seconds = timing.queue_seconds + timing.ttft_service_seconds;
  RequestRecord& record = input_.record;
  record.kept_tokens = cache_.kept_mean() - (prefill_->rows_stay() ? 0 : record.question_tokens);
  if (load_ != nullptr) {
    record.source = hit_->at_hand != nullptr ? write_back_source : hit_->tier_name;
    record.miss_reason.clear();
    record.method = hit_->method;
    record.removed_fraction = hit_->removed_fraction;
    record.bytes_loaded = load_->bytes();
    timing.device_seconds = load_->device_seconds();
    if (record.timing.context_prefill_seconds == 0) record.prefix_hit_tokens = static_cast<int>(hit_->prefix_tokens);
    record.provenance = hit_->shaped ? Provenance::shaped : Provenance::measured;
    if (hit_->at_hand == nullptr)  // what came from memory says nothing about the tier
      load_sample_ = {.bytes = load_->bytes(),
                      .kept_tokens = record.kept_tokens,
                      .device_seconds = load_->device_seconds(),
                      .decode_seconds = timing.decode_seconds};
    load_.reset();
  } else if (met_) {
    record_meeting();
  } else {
    record.source = "prefill";
  }
  return {};
}

// A failed or corrupt read is a miss: nothing of the entry is used.
void RequestTask::give_up_hit(ReadFailure failure) {
  input_.record.miss_reason = failure.entry_is_lost() ? to_string(failure.error.code) : failure.miss_reason;
  failed_read_ = std::move(failure);
  prefill_.reset();
  load_.reset();
  meeting_.reset();
  cache_.clear();
  cache_.set_sequence_length(0);
  restored_layers_ = 0;
  hit_.reset();
  begin_context_prefill(0);
}

void RequestTask::take_token(std::span<const float> logits) {
  const std::int64_t now = clock_.monotonic_ns();
  const std::int32_t token = greedy_token(logits);
  const bool stop = std::ranges::binary_search(stop_ids_, token);
  if (!stop) {  // the end is no token of the answer: waiting for it is between none of them
    if (last_token_ns_ != 0)
      input_.record.timing.token_gaps_seconds.push_back(static_cast<double>(now - last_token_ns_) * 1e-9);
    last_token_ns_ = now;
    answer_.push_back(token);
    on_text_(stream_.push(token));
  }
  answer_ended_ = stop;
  if (stop || static_cast<int>(answer_.size()) >= input_.max_answer_tokens ||
      cache_.sequence_length() >= runtime_.model->config().max_positions) {
    finish();
    return;
  }
  next_token_ = token;
  phase_ = Phase::decode;
}

DecodeSequence RequestTask::next_decode() { return {&cache_, next_token_, cache_.sequence_length()}; }

void RequestTask::take_decoded(std::span<const float> logits) { take_token(logits); }

void RequestTask::finish() {
  if (const std::string rest = stream_.finish(); !rest.empty()) on_text_(rest);
  RequestRecord& record = input_.record;
  record.answer = runtime_.tokenizer->decode(answer_);
  record.answer_tokens = static_cast<int>(answer_.size());
  record.timing.mean_itl_seconds = mean_of(record.timing.token_gaps_seconds);
  record.timing.e2e_seconds = record.timing.queue_seconds + seconds_since(service_start_ns_);
  // What is left is the context alone: the question and the answer belong to this request only.
  cache_.truncate(question_start_);
  cache_.set_sequence_length(question_start_);
  phase_ = Phase::done;
}

}  // namespace kvantage
