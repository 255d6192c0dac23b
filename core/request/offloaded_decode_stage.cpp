#include "core/request/offloaded_decode_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kvantage::inline requests {
namespace {

constexpr std::size_t max_writes = 2;  // layers packed and not yet written: backpressure
constexpr int offload_page_tokens = 64;

std::string offload_reason_of(const Error& error) {
  return error.code == ErrorCode::no_space ? "the tier has no space for the context" : "a write to the tier failed";
}

double seconds_between(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - start_ns) * 1e-9;
}

}  // namespace

Expected<std::shared_ptr<const Codec>> offload_codec(const DecodeOffloadSetting& setting) {
  if (setting.codec.empty()) return nullptr;
  const auto refuse = [](const Error& error) { return fail(ErrorCode::usage, "decode_offload: " + error.message); };
  auto codec = parse_codec(setting.codec);
  if (!codec) return refuse(codec.error());
  // Whether the length is fixed depends on the codec alone.
  const KvShape some{.layers = 1, .kv_heads = 1, .head_dim = 64, .type = KvType::bf16};
  if (const auto rows = RowCodec::make(some, *codec); !rows) return refuse(rows.error());
  return codec;
}

RecomputeProfile offload_profile(const Transformer& model, const TierModel& link, const PrefillModel& prefill,
                                 const QuestionModel& question, std::size_t tokens) {
  const ModelConfig& config = model.config();
  const double hidden = config.hidden, queries = config.heads * config.head_dim,
               keys_values = 2.0 * config.kv_heads * config.head_dim;
  const double others = 2 * queries + (config.form.gated ? 3 : 2) * static_cast<double>(config.intermediate);
  const double share = hidden * keys_values / (hidden * (keys_values + others));
  RecomputeProfile profile{.link = link, .recompute = {}, .rest_seconds = 0};
  profile.link.decode_seconds_per_token = 0;  // of entries of the store; rows here are copied as they are
  profile.recompute.seconds_per_token = std::max(0.0, prefill.seconds_per_token) / config.layers * share;
  profile.rest_seconds = std::max(0.0, question.seconds(static_cast<double>(tokens))) / config.layers;
  return profile;
}

std::string split_refusal_of(const Transformer& model) {
  const Status pays = check_recompute_pays(RecomputeSchedule::column, recompute_shape(model));
  return pays ? std::string() : pays.error().message;
}

std::string layer_inputs_refusal_of(const Transformer& model) {
  if (model.device() != nullptr)
    return "a GPU computes the model, and only the CPU records layer inputs; choose another method";
  return split_refusal_of(model);
}

OffloadedDecodeStage::OffloadedDecodeStage(RequestState& state, DecodeStage& decode, BufferLender& lender,
                                           const DecodeOffload& offload)
    : state_(state),
      answer_(decode),
      lender_(lender),
      offload_(offload),
      inputs_(
          std::make_unique<LayerInputs>(*state.runtime.model, static_cast<int>(state.input.context_tokens.size()))) {
  state.record.decoding.offload = OffloadRecord{.setting = offload.setting.text(), .not_applied = {}};
}

bool OffloadedDecodeStage::begin() {
  if (phase_ != Phase::prefill) return false;
  phase_ = Phase::writing;
  begun_ns_ = state_.clock.monotonic_ns();
  const auto tokens = static_cast<std::int32_t>(state_.input.context_tokens.size());
  state_.question_start = tokens;
  // Unique on the tier: a preempted request begins again with the same id.
  const RequestRecord& request = state_.record;
  const std::string name =
      "context " + request.context.hex() + " " + std::to_string(request.id) + " " + std::to_string(next_ticket());
  const auto rows = RowCodec::make(state_.runtime.model->kv_shape(), offload_.codec);
  if (!rows) {
    give_up(offload_reason_of(rows.error()));
    return false;
  }
  prompt_ = std::make_unique<OffloadedPrompt>(*offload_.tier, tokens, state_.runtime.chunk_tokens(), *rows, name);
  return true;
}

bool OffloadedDecodeStage::all_packed() const { return prompt_->layers() == state_.runtime.model->config().layers; }

RequestNeed OffloadedDecodeStage::needs() const {
  switch (phase_) {
    case Phase::writing:
      return all_packed() || prompt_->writes_left() >= max_writes ? RequestNeed::bytes : RequestNeed::compute;
    case Phase::asking:
    case Phase::answering:
      if (!arrived_) return RequestNeed::bytes;
      return decode_->may_step() ? RequestNeed::compute : RequestNeed::nothing;
    default:
      return RequestNeed::nothing;
  }
}

Status OffloadedDecodeStage::checked(Status status) {
  failed_ = failed_ || !status;
  return status;
}

void OffloadedDecodeStage::note_waiting() {
  const std::int64_t now = state_.clock.monotonic_ns();
  const bool answering = phase_ == Phase::answering;
  double waited = seconds_between(waiting_since_ns_, now);
  if (!answering || state_.spans.keeps_layers())
    waited = state_.spans.add(phase_ == Phase::writing ? RequestSpan::Kind::write : RequestSpan::Kind::wait,
                              waiting_since_ns_, now);
  if (!answering) state_.timing().load_seconds += waited;  // waits of later tokens are in the record's steps
  waiting_since_ns_ = now;
}

Status OffloadedDecodeStage::poll(double wait_seconds) {
  if (needs() != RequestNeed::bytes) return {};
  if (waiting_since_ns_ == 0) waiting_since_ns_ = state_.clock.monotonic_ns();
  Status status;
  if (phase_ == Phase::writing) {
    const Status written = prompt_->poll(wait_seconds);
    note_waiting();
    if (!written)
      give_up(offload_reason_of(written.error()));
    else if (all_packed() && prompt_->writes_left() == 0)
      status = checked(begin_decode());
  } else {
    arrived_ = decode_->layer_arrived(wait_seconds);
    note_waiting();
  }
  if (needs() != RequestNeed::bytes) waiting_since_ns_ = 0;
  return status;
}

Status OffloadedDecodeStage::compute() {
  if (needs() != RequestNeed::compute) return {};
  if (phase_ == Phase::writing) return write_layer();
  const std::int64_t start = state_.clock.monotonic_ns();
  KV_TRY(checked(decode_->step_layer()));
  if (phase_ == Phase::asking)
    state_.timing().question_prefill_seconds += seconds_between(start, state_.clock.monotonic_ns());
  if (!decode_->in_pass()) return checked(end_pass());
  arrived_ = decode_->layer_arrived(0);
  return {};
}

Status OffloadedDecodeStage::write_layer() {
  const std::int64_t start = state_.clock.monotonic_ns();
  const std::uint64_t before = prompt_->bytes();
  const auto layer = static_cast<std::int16_t>(prompt_->layers());
  Status written = prompt_->add_layer(*state_.runtime.model, state_.cache, *inputs_);
  state_.spans.add(RequestSpan::Kind::write, start, state_.clock.monotonic_ns(),
                   {.layer = layer, .bytes = prompt_->bytes() - before});
  if (written) written = prompt_->poll(0);
  if (!written) give_up(offload_reason_of(written.error()));
  return {};
}

// The context is still in memory, so nothing is lost.
void OffloadedDecodeStage::give_up(const std::string& reason) {
  state_.record.decoding.offload->not_applied = reason;
  prompt_.reset();
  inputs_.reset();
  phase_ = Phase::gave_up;
}

// As much as the split would use for its first token.
std::shared_ptr<const ResidentRows> OffloadedDecodeStage::resident_front() const {
  const DecodeOffloadSetting& setting = offload_.setting;
  if (setting.resident == ResidentFront::nothing) return nullptr;
  const Transformer& model = *state_.runtime.model;
  const int tokens = prompt_->tokens(), chunk = prompt_->chunk_tokens();
  const RecomputeShape shape = recompute_shape(model, prompt_->codec(), chunk);
  int front = tokens;
  if (setting.split == SplitMode::solved) {
    StreamedWeights streamed;
    if (offload_.weights != nullptr) {
      const WeightEntry& layer = offload_.weights->layer(0);
      streamed = {setting.weights, static_cast<double>(layer.key_value_bytes), static_cast<double>(layer.other_bytes)};
    }
    const RecomputeCosts costs =
        recompute_costs(RecomputeSchedule::row, TransferOverlap::across_layers, shape, offload_.profile.link,
                        offload_.profile.recompute, 1, streamed, offload_.profile.rest_seconds);
    front = solve_split(costs, tokens, tokens, chunk).recomputed_tokens;
  }
  if (setting.resident == ResidentFront::inputs)
    return std::make_shared<const ResidentRows>(ResidentRows::of_inputs(model, *inputs_, front));
  // Not encoded. In whole chunks, rounded up: a chunk is the least that is read.
  const double bytes = front * shape.input_bytes_per_token(), row = recompute_shape(model).kv_bytes_per_token();
  const int chunks = static_cast<int>(std::ceil(bytes / row / chunk));
  return std::make_shared<const ResidentRows>(
      ResidentRows::of_keys_values(state_.cache, std::min(tokens, chunks * chunk)));
}

Status OffloadedDecodeStage::begin_decode() {
  OffloadRecord& noted = *state_.record.decoding.offload;
  noted.stored_bytes = prompt_->bytes();
  noted.write_seconds = seconds_between(begun_ns_, state_.clock.monotonic_ns());
  const auto resident = resident_front();
  noted.resident_bytes = resident ? resident->bytes() : 0;
  const OffloadedDecodeOptions options{
      .page_tokens = offload_page_tokens,
      .mode = offload_.setting.split,
      .profile = offload_.profile,
      .name = "answer " + std::to_string(state_.record.id) + " " + std::to_string(next_ticket()),
      .weights = offload_.weights != nullptr ? offload_.setting.weights : WeightLoading::resident,
      .frozen = offload_.frozen,
      .spans = true,
      .resident = resident,
      .shared_weights = offload_.weights,
      .column = offload_.column,
      .peers = offload_.peers};
  auto decode = OffloadedDecode::begin(*state_.runtime.model, lender_, std::move(prompt_), options);
  if (!decode) {
    give_up(decode.error().code == ErrorCode::usage ? "layer inputs are no shorter than keys and values"
                                                    : "no buffers are free for its layers");
    return {};
  }
  decode_ = std::move(*decode);
  inputs_.reset();
  state_.cache.clear();
  state_.cache.set_sequence_length(state_.question_start);
  phase_ = Phase::asking;
  return begin_question_chunk();
}

Status OffloadedDecodeStage::begin_question_chunk() {
  const std::span<const std::int32_t> question = state_.input.question_tokens;
  const std::size_t count = std::min(question.size() - asked_, static_cast<std::size_t>(state_.runtime.chunk_tokens()));
  KV_TRY(decode_->begin_pass(question.subspan(asked_, count), OffloadedDecode::Pass::feed));
  asked_ += count;
  arrived_ = decode_->layer_arrived(0);
  return {};
}

Status OffloadedDecodeStage::end_pass() {
  const OffloadedStep& step = decode_->steps().back();
  add_spans(step);
  if (phase_ == Phase::asking && asked_ < state_.input.question_tokens.size()) return begin_question_chunk();
  if (phase_ == Phase::answering) count(step);
  return take_token();
}

void OffloadedDecodeStage::count(const OffloadedStep& step) {
  ++answered_;
  OffloadRecord& noted = *state_.record.decoding.offload;
  ++noted.steps;
  noted.recomputed_tokens += static_cast<std::uint64_t>(step.recomputed_tokens);
  noted.streamed_tokens += static_cast<std::uint64_t>(step.streamed_tokens);
  noted.input_bytes += step.input_bytes;
  noted.kv_bytes += step.kv_bytes;
  noted.weight_bytes += step.weight_bytes;
  noted.seconds += step.seconds;
  noted.predicted_seconds += step.predicted_seconds;
  noted.waited_seconds += std::max(0.0, step.seconds - step.busy_seconds);
  noted.recompute_seconds += step.recompute_seconds;
}

// The cache of the request is empty, but its length says where the answer is.
Status OffloadedDecodeStage::take_token() {
  const KvShape shape = state_.runtime.model->kv_shape();
  const auto question = static_cast<std::int32_t>(state_.input.question_tokens.size());
  const std::int32_t length = state_.question_start + question + answered_;
  state_.cache.set_sequence_length(length);
  RequestRecord& record = state_.record;
  OffloadRecord& noted = *record.decoding.offload;
  noted.stored_bytes = std::max(noted.stored_bytes, decode_->offloaded_bytes());
  noted.resident_bytes = std::max(noted.resident_bytes, decode_->resident_bytes());
  // In memory while a layer is computed: later rows, the layer's rows, and two layers in flight.
  const std::uint64_t held = decode_->held_bytes() + 3 * static_cast<std::uint64_t>(length) * shape.bytes_per_token() /
                                                         static_cast<std::uint64_t>(shape.layers);
  const bool first = phase_ == Phase::asking;
  phase_ = Phase::answering;
  if (first) record.kept_tokens = record.context_tokens;
  answer_.take_token(decode_->logits());
  if (first) {
    state_.note_first_token();
    record.source = "prefill";
    if (offload_.tier->describe().throttled) record.provenance = Provenance::throttled;
  }
  record.decoding.held_bytes = held;
  record.decoding.peak_bytes = std::max(record.decoding.peak_bytes, held);
  if (answer_.done()) {
    phase_ = Phase::done;
    decode_.reset();  // erases the entries
    return {};
  }
  const std::int32_t token = answer_.next_decode().token;
  KV_TRY(decode_->begin_pass(std::span(&token, 1), OffloadedDecode::Pass::decode));
  arrived_ = decode_->layer_arrived(0);
  return {};
}

// Steps have the tier's clock, spans the serving clock.
void OffloadedDecodeStage::add_spans(const OffloadedStep& step) {
  const std::int64_t now = state_.clock.monotonic_ns();
  const bool asking = phase_ == Phase::asking;
  const auto at = [&](double seconds) { return now + static_cast<std::int64_t>((seconds - step.seconds) * 1e9); };
  RequestSpan what{.step = answered_ + 1};
  if (asking) what.step = static_cast<std::int32_t>(asked_ - 1) / state_.runtime.chunk_tokens();
  const std::int32_t computed =
      asking ? static_cast<std::int32_t>(asked_) - what.step * state_.runtime.chunk_tokens() : 1;
  for (const OffloadedSpan& span : step.spans) {
    const bool of_layer = span.what == OffloadedSpan::What::layer;
    if (!of_layer && !state_.spans.keeps_layers()) continue;
    what.layer = static_cast<std::int16_t>(span.layer);
    what.tokens = of_layer ? computed : 0;
    what.bytes = span.bytes;
    if (of_layer)
      state_.spans.add(asking ? RequestSpan::Kind::question_prefill : RequestSpan::Kind::decode, at(span.begin),
                       at(span.end), what);
    else if (span.what == OffloadedSpan::What::recomputation)
      state_.spans.add(RequestSpan::Kind::recompute, at(span.begin), at(span.end), what);
    else
      state_.spans.add_read(at(span.begin), at(span.end), span.end - span.begin, now, what);
  }
}

}  // namespace kvantage::inline requests
