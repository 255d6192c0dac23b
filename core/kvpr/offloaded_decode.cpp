#include "core/kvpr/offloaded_decode.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "core/kvpr/decoded_pages.h"
#include "core/kvpr/layer_rows.h"
#include "core/kvpr/recompute_estimate.h"

namespace kvantage::inline kvpr {

RecomputeShape recompute_shape(const Transformer& model) {
  const ModelConfig& config = model.config();
  return {config.hidden, config.kv_heads, config.head_dim,
          static_cast<double>(layer_input_bytes(model)) / config.hidden,
          static_cast<double>(bytes_of(model.kv_shape().type))};
}

RecomputeShape recompute_shape(const Transformer& model, const RowCodec& codec, int chunk_tokens) {
  RecomputeShape shape = recompute_shape(model);
  shape.kv_bytes =
      static_cast<double>(codec.bytes(chunk_tokens)) / (2.0 * chunk_tokens * shape.kv_heads * shape.head_dim);
  return shape;
}

Expected<PrefilledPrompt> prefill_offloaded(Transformer& model, StorageTier& tier,
                                            const std::vector<std::int32_t>& prompt, int chunk_tokens,
                                            const std::string& name, std::shared_ptr<const Codec> codec) {
  KV_ASSIGN(const auto rows_on_tier, RowCodec::make(model.kv_shape(), std::move(codec)));
  const auto tokens = static_cast<int>(prompt.size());
  const std::size_t rows =
      static_cast<std::size_t>(tokens + 64) * static_cast<std::size_t>(model.config().layers * model.config().kv_heads);
  BlockPool pool(model.kv_shape(), 64, rows * (model.kv_shape().bytes_per_head_token() + 64) + (std::size_t{16} << 20));
  KvCache cache(pool);
  LayerInputs inputs(model, tokens);
  PrefillTask task(model, cache, prompt, 0, {.chunk_tokens = chunk_tokens});
  {
    const CaptureLayerInputs capture(model, inputs);
    KV_TRY(task.run());
  }
  KV_ASSIGN(auto written, OffloadedPrompt::write(model, cache, inputs, tokens, chunk_tokens, rows_on_tier, tier, name));
  return PrefilledPrompt{std::move(written), {task.logits().begin(), task.logits().end()}};
}

struct OffloadedDecode::State {
  struct Sequence;
  /// A requested layer of a sequence, for the step that it belongs to.
  struct Request {
    int recomputed = 0, streamed = 0;
    int resident = 0;  // tokens of the front for which nothing is read
    std::size_t pages = 0;
    double predicted_seconds = 0;
    std::shared_ptr<MatrixRead> matrices = nullptr;  // of its column
  };
  /// A position within a step: the order is the same in all steps.
  struct Place {
    int layer = 0;
    std::size_t sequence = 0;
    bool weights_come = false, weights_go = false;  // with this layer's rows; after its compute
  };

  /// A pass between two of its layers.
  struct Running {
    Running() {}                              // not implicit: State is not complete where an optional asks for it
    std::vector<DecodeTask> decodes = {};     // one a sequence
    std::optional<PrefillTask> prefill = {};  // of tokens that are fed
    int tokens = 1;                           // a sequence
    std::size_t place = 0;                    // next to compute
    OffloadedStep step = {};
    double waited = 0;  // by the stream before the pass, as all of these
    std::uint64_t inputs = 0, keys_values = 0, matrices = 0;
  };

  State(Transformer& transformer, StorageTier& tier, BufferLender& lender, const RowCodec& codec,
        const OffloadedDecodeOptions& settings)
      : model(transformer),
        options(settings),
        shape(recompute_shape(transformer, codec, settings.chunk_tokens)),
        recompute(transformer, settings.chunk_tokens),
        pool(transformer.kv_shape(), 64, pool_bytes(transformer)),
        cache(pool),
        rows(codec),
        stream(tier, lender),
        clock(tier.clock()),
        estimate(settings.profile.recompute, settings.profile.rest_seconds) {}

  // After an error, matrices of a layer may still be lent from buffers that end with this.
  ~State() {
    for (int layer = 0; weights != nullptr && layer < layers(); ++layer) weights->lent().release(layer);
  }

  double waited_seconds() const { return stream.waited_seconds() + (column ? column->waited_seconds() : 0); }
  std::uint64_t weight_bytes() const { return stream.weight_bytes() + (column ? column->weight_bytes() : 0); }

  /// One layer of the longest sequence that the model allows.
  static std::size_t pool_bytes(const Transformer& model) {
    const auto rows =
        static_cast<std::size_t>(model.config().max_positions + 64) * static_cast<std::size_t>(model.config().kv_heads);
    return rows * (model.kv_shape().bytes_per_head_token() + 64) + (std::size_t{16} << 20);
  }

  int layers() const { return model.config().layers; }
  std::size_t places() const { return static_cast<std::size_t>(layers()) * sequences.size(); }
  Place place(std::size_t at) const;
  RecomputeCosts costs() const;
  void learn(const OffloadedStep& step);
  int page_tokens() const { return options.page_tokens > 0 ? options.page_tokens : options.chunk_tokens; }
  void solve(Sequence& sequence);
  Status request_next();
  Status receive(const Place& at, OffloadedStep& step);
  Status lend_shared(const Place& at, WeightPart part, OffloadedStep& step);
  Status append_resident(const Place& at, OffloadedStep& step);
  Status begin(std::span<const std::int32_t> tokens, Pass kind);
  Status run_layer();
  Status end();
  void take_down(OffloadedStep& step, OffloadedSpan::What what, const Place& at, double begin, double end,
                 std::size_t bytes = 0) const;

  Transformer& model;
  OffloadedDecodeOptions options;
  RecomputeShape shape;
  KvRecompute recompute;
  BlockPool pool;
  KvCache cache;  // one layer of one sequence at a time
  RowCodec rows;
  std::shared_ptr<OffloadedWeights> weights;        // null: resident
  std::vector<StreamedBlock> lent;                  // weights of the current layer
  std::unique_ptr<OffloadedColumn::Member> column;  // null: alone
  std::shared_ptr<MatrixRead> lent_by_column;       // as `lent`
  std::vector<std::unique_ptr<Sequence>> sequences;
  LayerStream stream;
  const Clock& clock;
  std::vector<OffloadedStep> steps;
  RecomputeEstimate estimate;
  std::size_t next_place = 0;  // next to be requested
  double step_began = 0;
  std::optional<Running> running;
};

struct OffloadedDecode::State::Sequence {
  Sequence(const Transformer& model, const RowCodec& codec, PrefilledPrompt prefilled, int page_tokens,
           const std::string& name)
      : prompt(std::move(prefilled.prompt)),
        pages(model.kv_shape(), codec, prompt->tier(), prompt->tokens(), page_tokens, name),
        position(prompt->tokens()),
        logits(std::move(prefilled.logits)) {}

  std::unique_ptr<OffloadedPrompt> prompt;
  DecodedPages pages;
  std::int32_t position;
  std::vector<float> logits;
  std::deque<Request> requests;  // parallel to its layers in the stream
  Request newest;
};

OffloadedDecode::State::Place OffloadedDecode::State::place(std::size_t at) const {
  const std::size_t all = sequences.size(), depth = static_cast<std::size_t>(layers());
  if (options.order == BatchOrder::row) return {static_cast<int>(at % depth), at / depth, true, true};
  return {static_cast<int>(at / all), at % all, at % all == 0, at % all + 1 == all};
}

// Weights shared by all sequences are charged to each in equal parts.
RecomputeCosts OffloadedDecode::State::costs() const {
  StreamedWeights streamed{options.weights, 0, 0};
  if (weights) {
    const std::size_t sharing = column ? column->members() : sequences.size();
    const double share = options.order == BatchOrder::column ? 1.0 / static_cast<double>(sharing) : 1.0;
    streamed.key_value_bytes = share * static_cast<double>(weights->layer(0).key_value_bytes);
    streamed.other_bytes = share * static_cast<double>(weights->layer(0).other_bytes);
  }
  const auto schedule = options.resident ? RecomputeSchedule::row : RecomputeSchedule::column;
  return recompute_costs(schedule, TransferOverlap::across_layers, shape, options.profile.link, estimate.rate(), 1,
                         streamed, estimate.rest_seconds());
}

void OffloadedDecode::State::learn(const OffloadedStep& step) {
  if (options.frozen) return;
  estimate.learn((step.busy_seconds - step.recompute_seconds) / static_cast<double>(places()),
                 step.recompute_seconds / layers(), step.recomputed_tokens);
}

void OffloadedDecode::State::solve(Sequence& sequence) {
  const RecomputeCosts now = costs();
  Request& newest = sequence.newest;
  const int prompt = sequence.prompt->tokens();
  newest.pages = sequence.pages.written_pages();
  newest.streamed = prompt + static_cast<int>(newest.pages) * sequence.pages.page_tokens();
  const ResidentRows* front = options.resident.get();
  const bool copies = front != nullptr && !front->are_inputs();
  const int most = front != nullptr ? front->tokens() : prompt;  // may be recomputed, or are copied
  newest.recomputed = options.mode == SplitMode::recompute_only && !copies ? most : 0;
  if (options.mode == SplitMode::solved && !copies)
    newest.recomputed = estimate.recomputed_tokens(now, newest.streamed, most, options.chunk_tokens);
  newest.resident = copies ? most : front != nullptr ? newest.recomputed : 0;
  newest.predicted_seconds = now.seconds(newest.recomputed, newest.streamed - (copies ? most : 0)) * layers();
  if (column) column->predict(newest.predicted_seconds);
}

// In compute order: the first positions of the next step follow the last of this one.
Status OffloadedDecode::State::request_next() {
  const Place at = place(next_place);
  Sequence& sequence = *sequences[at.sequence];
  if (at.layer == 0) solve(sequence);
  std::vector<OffloadedLayer> decoded;
  for (std::size_t page = 0; page < sequence.newest.pages; ++page)
    decoded.push_back(sequence.pages.layer(page, at.layer));
  const bool alone = weights && at.weights_come && !column;
  if (column) {
    KV_ASSIGN(sequence.newest.matrices, column->request());
  }
  KV_TRY(stream.request(sequence.prompt->layer(at.layer), decoded,
                        {.recomputed = sequence.newest.recomputed, .from = sequence.newest.resident},
                        alone ? &weights->layer(at.layer) : nullptr, options.weights));
  if (column) KV_TRY(column->complete(sequence.newest.matrices));
  sequence.requests.push_back(sequence.newest);
  sequence.newest.matrices = nullptr;
  next_place = (next_place + 1) % places();
  return {};
}

void OffloadedDecode::State::take_down(OffloadedStep& step, OffloadedSpan::What what, const Place& at, double begin,
                                       double end, std::size_t bytes) const {
  if (options.spans)
    step.spans.push_back({what, at.layer, static_cast<int>(at.sequence), begin - step_began, end - step_began, bytes});
}

// While the rest of the layer is on its way.
Status OffloadedDecode::State::append_resident(const Place& at, OffloadedStep& step) {
  const ResidentRows* front = options.resident.get();
  const Sequence& sequence = *sequences[at.sequence];
  for (const OffloadedBlock& block : sequence.prompt->layer(at.layer).blocks) {
    if (front == nullptr || block.first >= sequence.requests.front().resident) break;
    const double began = clock.seconds();
    KV_ASSIGN(const auto resident, front->keys_values(at.layer, block.first, block.tokens, recompute));
    if (front->are_inputs()) {
      const double computed = clock.seconds();
      step.recompute_seconds += computed - began;
      take_down(step, OffloadedSpan::What::recomputation, at, began, computed);
    }
    KV_TRY(append_rows(cache, at.layer, resident.keys, resident.values, block.first, block.tokens));
  }
  return {};
}

// Until the layer is computed; another member may have read it.
Status OffloadedDecode::State::lend_shared(const Place& at, WeightPart part, OffloadedStep& step) {
  const auto& read = sequences[at.sequence]->requests.front().matrices;
  if (read == nullptr) return {};
  MatrixRead::Part& matrices = read->part(part);
  KV_TRY(column->wait(matrices));
  if (!std::exchange(matrices.noted, true))
    take_down(step, OffloadedSpan::What::weights, at, matrices.arrived_seconds - matrices.device_seconds,
              matrices.arrived_seconds, matrices.bytes);
  weights->lent().lend(at.layer, part, matrices.rows());
  return {};
}

Status OffloadedDecode::State::receive(const Place& at, OffloadedStep& step) {
  Sequence& sequence = *sequences[at.sequence];
  using Kind = StreamedBlock::Kind;
  const bool streams_matrices = weights && at.weights_come && !column;
  // Recomputation needs the layer's W_K and W_V.
  const Kind awaited = options.weights == WeightLoading::whole ? Kind::other_weights : Kind::key_value_weights;
  KV_TRY(lend_shared(at, WeightPart::keys_values, step));
  if (options.weights == WeightLoading::whole) KV_TRY(lend_shared(at, WeightPart::others, step));
  if (!streams_matrices) KV_TRY(append_resident(at, step));
  while (stream.blocks_left() > 0) {
    KV_ASSIGN(auto block, stream.take());
    using What = OffloadedSpan::What;
    const bool matrices = block.kind == Kind::key_value_weights || block.kind == Kind::other_weights;
    take_down(step,
              matrices                     ? What::weights
              : block.kind == Kind::inputs ? What::layer_inputs
                                           : What::keys_values,
              at, block.arrived_seconds - block.device_seconds, block.arrived_seconds, block.bytes);
    if (matrices) {
      weights->lent().lend(
          at.layer, block.kind == Kind::key_value_weights ? WeightPart::keys_values : WeightPart::others, block.rows());
      const Kind kind = block.kind;
      lent.push_back(std::move(block));
      if (kind == awaited) KV_TRY(append_resident(at, step));
      continue;
    }
    const double began = clock.seconds();
    KV_ASSIGN(const auto arrived, keys_values_of(block, at.layer, recompute, rows, clock, step.recompute_seconds));
    if (block.kind == Kind::inputs) take_down(step, What::recomputation, at, began, clock.seconds());
    KV_TRY(append_rows(cache, at.layer, arrived.keys, arrived.values, block.first, block.tokens));
  }
  if (options.weights == WeightLoading::keys_values_first) KV_TRY(lend_shared(at, WeightPart::others, step));
  stream.next_layer();
  KV_TRY(sequence.pages.append_held(cache, at.layer, sequence.requests.front().pages));
  lent_by_column = std::move(sequence.requests.front().matrices);
  sequence.requests.pop_front();
  return {};
}

Status OffloadedDecode::State::begin(std::span<const std::int32_t> tokens, Pass kind) {
  step_began = clock.seconds();
  Running& pass = running.emplace();
  pass.waited = waited_seconds();
  pass.inputs = stream.input_bytes();
  pass.keys_values = stream.kv_bytes();
  pass.matrices = weight_bytes();
  if (kind == Pass::feed) {
    pass.tokens = static_cast<int>(tokens.size());
    pass.prefill.emplace(model, cache, std::vector<std::int32_t>(tokens.begin(), tokens.end()),
                         sequences.front()->position, PrefillOptions{.chunk_tokens = options.chunk_tokens});
    return {};
  }
  pass.decodes.reserve(sequences.size());
  for (std::size_t s = 0; s < sequences.size(); ++s)
    pass.decodes.emplace_back(model, cache, tokens[s], sequences[s]->position);
  return {};
}

Status OffloadedDecode::State::run_layer() {
  Running& pass = *running;
  const double start = clock.seconds(), waited = waited_seconds();
  const Place at = place(pass.place);
  Sequence& sequence = *sequences[at.sequence];
  if (at.layer == 0) {
    pass.step.recomputed_tokens += sequence.requests.front().recomputed;
    pass.step.streamed_tokens += sequence.requests.front().streamed;
    pass.step.predicted_seconds +=
        column ? column->predicted_seconds_of_all() : sequence.requests.front().predicted_seconds;
  }
  KV_TRY(receive(at, pass.step));
  KV_TRY(request_next());  // its buffers are free: the tier continues while this layer computes
  const double began = clock.seconds();
  KV_TRY(pass.prefill ? pass.prefill->step() : pass.decodes[at.sequence].step());
  const double computed = clock.seconds();
  take_down(pass.step, OffloadedSpan::What::layer, at, began, computed);
  sequence.pages.take_rows(cache, at.layer, pass.tokens);
  clear_layer(cache, at.layer);
  if (weights && at.weights_go) {
    weights->lent().release(at.layer);
    lent.clear();
    lent_by_column.reset();
  }
  pass.step.busy_seconds += clock.seconds() - start - (waited_seconds() - waited);
  if (column) column->computed_layer();
  return ++pass.place == places() ? end() : Status();
}

Status OffloadedDecode::State::end() {
  Running& pass = *running;
  OffloadedStep& step = pass.step;
  const double began = clock.seconds();
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    Sequence& sequence = *sequences[s];
    KV_TRY(sequence.pages.end_step(pass.tokens, options.frozen));
    // The oldest layer in flight relies on the fewest pages; later requests rely on those written by now.
    sequence.pages.release(sequence.requests.empty() ? sequence.pages.written_pages()
                                                     : sequence.requests.front().pages);
    const std::span<const float> logits = pass.prefill ? pass.prefill->logits() : pass.decodes[s].logits();
    sequence.logits.assign(logits.begin(), logits.end());
    sequence.position += pass.tokens;
  }
  step.input_bytes = stream.input_bytes() - pass.inputs;
  step.kv_bytes = stream.kv_bytes() - pass.keys_values;
  step.weight_bytes = weight_bytes() - pass.matrices;
  step.waited_seconds = waited_seconds() - pass.waited;
  const double now = clock.seconds();
  step.busy_seconds += now - began;
  step.seconds = now - step_began;
  if (!pass.prefill) learn(step);  // the other compute of a prefill is not that of a decode
  steps.push_back(std::move(step));
  running.reset();
  return {};
}

OffloadedDecode::OffloadedDecode(std::unique_ptr<State> state) : state_(std::move(state)) {}
OffloadedDecode::~OffloadedDecode() = default;

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, StorageTier& tier,
                                                                  BufferLender& lender,
                                                                  const std::vector<std::int32_t>& prompt,
                                                                  const OffloadedDecodeOptions& options) {
  return begin(model, tier, lender, std::vector<std::vector<std::int32_t>>{prompt}, options);
}

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, StorageTier& tier,
                                                                  BufferLender& lender,
                                                                  const std::vector<std::vector<std::int32_t>>& prompts,
                                                                  const OffloadedDecodeOptions& options) {
  if (options.chunk_tokens < 1)
    return fail(ErrorCode::usage, "decode-offload: chunks have no tokens; give 1 or more, e.g. 64");
  if (options.resident != nullptr)
    return fail(ErrorCode::usage, "decode-offload: resident rows are of a prompt that is prefilled already");
  if (prompts.empty()) return fail(ErrorCode::usage, "decode-offload: no prompt; give one sequence or more");
  KV_ASSIGN(const auto rows, RowCodec::make(model.kv_shape(), options.codec));
  if (options.mode == SplitMode::solved)
    KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model, rows, options.chunk_tokens)));
  std::unique_ptr<OffloadedDecode> decode(
      new OffloadedDecode(std::make_unique<State>(model, tier, lender, rows, options)));
  State& state = *decode->state_;
  for (const std::vector<std::int32_t>& prompt : prompts) {
    const std::string name =
        state.sequences.empty() ? options.name : options.name + " " + std::to_string(state.sequences.size());
    KV_ASSIGN(auto prefilled, prefill_offloaded(model, tier, prompt, options.chunk_tokens, name, options.codec));
    state.sequences.push_back(
        std::make_unique<State::Sequence>(model, rows, std::move(prefilled), state.page_tokens(), name));
  }
  if (options.weights != WeightLoading::resident) {
    KV_ASSIGN(auto weights, OffloadedWeights::write(model, tier, options.name));
    state.weights = std::move(weights);
  }
  for (int buffers = 0; buffers < 2; ++buffers) KV_TRY(state.request_next());
  return decode;
}

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, BufferLender& lender,
                                                                  std::unique_ptr<OffloadedPrompt> prompt,
                                                                  const OffloadedDecodeOptions& options) {
  OffloadedDecodeOptions own = options;
  own.chunk_tokens = prompt->chunk_tokens();
  const RowCodec rows = prompt->codec();
  if (own.mode == SplitMode::solved && own.resident == nullptr)
    KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model, rows, own.chunk_tokens)));
  std::unique_ptr<OffloadedDecode> decode(
      new OffloadedDecode(std::make_unique<State>(model, prompt->tier(), lender, rows, own)));
  State& state = *decode->state_;
  if (own.weights != WeightLoading::resident) state.weights = own.shared_weights;
  if (own.column != nullptr) state.column = own.column->join(lender);
  state.sequences.push_back(std::make_unique<State::Sequence>(model, rows, PrefilledPrompt{std::move(prompt), {}},
                                                              state.page_tokens(), own.name));
  for (int buffers = 0; buffers < 2; ++buffers) KV_TRY(state.request_next());
  return decode;
}

Status OffloadedDecode::begin_pass(std::span<const std::int32_t> tokens, Pass pass) {
  const std::size_t sequences = state_->sequences.size();
  if (in_pass()) return fail(ErrorCode::internal, "decode-offload: a pass is in progress");
  if (pass == Pass::decode && tokens.size() != sequences)
    return fail(ErrorCode::usage, "decode-offload: " + std::to_string(tokens.size()) + " tokens for " +
                                      std::to_string(sequences) + " sequences; give one each");
  const auto chunk = static_cast<std::size_t>(state_->options.chunk_tokens);
  if (pass == Pass::feed && (sequences != 1 || tokens.empty() || tokens.size() > chunk))
    return fail(ErrorCode::usage, "decode-offload: " + std::to_string(tokens.size()) + " tokens cannot be fed to " +
                                      std::to_string(sequences) + " sequences; give 1 to " + std::to_string(chunk) +
                                      " to one sequence");
  return state_->begin(tokens, pass);
}

bool OffloadedDecode::in_pass() const { return state_->running.has_value(); }
bool OffloadedDecode::layer_arrived(double seconds) {
  const bool rows = state_->stream.layer_arrived(seconds);
  const auto& matrices = state_->sequences.front()->requests.front().matrices;
  return matrices == nullptr ? rows : state_->column->arrived(*matrices, rows ? seconds : 0) && rows;
}
bool OffloadedDecode::may_step() const { return state_->column == nullptr || state_->column->may_compute(); }
Status OffloadedDecode::step_layer() {
  if (!in_pass()) return fail(ErrorCode::internal, "decode-offload: no pass is in progress");
  return state_->run_layer();
}

Expected<OffloadedStep> OffloadedDecode::step(std::span<const std::int32_t> tokens) {
  KV_TRY(begin_pass(tokens, Pass::decode));
  while (in_pass()) KV_TRY(step_layer());
  return state_->steps.back();
}

Status OffloadedDecode::feed(std::span<const std::int32_t> tokens) {
  if (tokens.empty()) return begin_pass(tokens, Pass::feed);
  const auto chunk = static_cast<std::size_t>(state_->options.chunk_tokens);
  for (std::size_t first = 0; first < tokens.size(); first += chunk) {
    KV_TRY(begin_pass(tokens.subspan(first, std::min(chunk, tokens.size() - first)), Pass::feed));
    while (in_pass()) KV_TRY(step_layer());
  }
  return {};
}

std::span<const float> OffloadedDecode::logits(std::size_t sequence) const {
  return state_->sequences[sequence]->logits;
}
const std::vector<OffloadedStep>& OffloadedDecode::steps() const { return state_->steps; }
std::uint64_t OffloadedDecode::offloaded_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& sequence : state_->sequences) bytes += sequence->prompt->bytes() + sequence->pages.written_bytes();
  return bytes;
}
std::uint64_t OffloadedDecode::held_bytes() const {
  std::uint64_t bytes = state_->options.resident ? state_->options.resident->bytes() : 0;
  for (const auto& sequence : state_->sequences) bytes += sequence->pages.held_bytes();
  return bytes;
}

}  // namespace kvantage::inline kvpr
