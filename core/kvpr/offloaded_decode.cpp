#include "core/kvpr/offloaded_decode.h"

#include <algorithm>
#include <deque>

#include "core/base/clock.h"
#include "core/kvpr/decoded_pages.h"
#include "core/kvpr/layer_rows.h"

namespace kvantage {

RecomputeShape recompute_shape(const Transformer& model) {
  const ModelConfig& config = model.config();
  return {config.hidden, config.kv_heads, config.head_dim, static_cast<double>(layer_input_bytes(model)) / config.hidden,
          static_cast<double>(bytes_of(model.kv_shape().type))};
}

RecomputeShape recompute_shape(const Transformer& model, const RowCodec& codec, int chunk_tokens) {
  RecomputeShape shape = recompute_shape(model);
  shape.kv_bytes = static_cast<double>(codec.bytes(chunk_tokens)) / (2.0 * chunk_tokens * shape.kv_heads * shape.head_dim);
  return shape;
}

Expected<PrefilledPrompt> prefill_offloaded(Transformer& model, StorageTier& tier, const std::vector<std::int32_t>& prompt, int chunk_tokens, const std::string& name,
                                            std::shared_ptr<const Codec> codec) {
  const auto rows_on_tier = RowCodec::make(model.kv_shape(), std::move(codec));
  if (!rows_on_tier) return tl::unexpected(rows_on_tier.error());
  const auto tokens = static_cast<int>(prompt.size());
  const std::size_t rows = static_cast<std::size_t>(tokens + 64) * static_cast<std::size_t>(model.config().layers * model.config().kv_heads);
  BlockPool pool(model.kv_shape(), 64, rows * (model.kv_shape().bytes_per_head_token() + 64) + (std::size_t{16} << 20));
  KvCache cache(pool);
  LayerInputs inputs(model, tokens);
  PrefillTask task(model, cache, prompt, 0, {.chunk_tokens = chunk_tokens});
  {
    const CaptureLayerInputs capture(model, inputs);
    KV_TRY(task.run());
  }
  auto written = OffloadedPrompt::write(model, cache, inputs, tokens, chunk_tokens, *rows_on_tier, tier, name);
  if (!written) return tl::unexpected(std::move(written).error());
  return PrefilledPrompt{std::move(*written), {task.logits().begin(), task.logits().end()}};
}

struct OffloadedDecode::State {
  /// A layer that was asked for, for the step that it belongs to.
  struct Request {
    int recomputed = 0, streamed = 0;
    std::size_t pages = 0;
    double predicted_seconds = 0;
  };

  State(Transformer& transformer, StorageTier& tier, BufferLender& lender, PrefilledPrompt prefilled, const OffloadedDecodeOptions& settings)
      : model(transformer),
        options(settings),
        shape(recompute_shape(transformer, prefilled.prompt->codec(), settings.chunk_tokens)),
        recompute(transformer, settings.chunk_tokens),
        pool(transformer.kv_shape(), 64, pool_bytes(transformer)),
        cache(pool),
        prompt(std::move(prefilled.prompt)),
        rows(prompt->codec()),
        pages(transformer.kv_shape(), rows, tier, prompt->tokens(), settings.chunk_tokens, settings.name),
        stream(tier, lender),
        position(prompt->tokens()),
        logits(std::move(prefilled.logits)) {}

  /// One layer of as long a sequence as the model allows.
  static std::size_t pool_bytes(const Transformer& model) {
    const auto rows = static_cast<std::size_t>(model.config().max_positions + 64) * static_cast<std::size_t>(model.config().kv_heads);
    return rows * (model.kv_shape().bytes_per_head_token() + 64) + (std::size_t{16} << 20);
  }

  int layers() const { return model.config().layers; }
  RecomputeCosts costs() const;
  void learn(const OffloadedStep& step);
  void solve();
  Status request_next();
  Status take_in(int layer, OffloadedStep& step);
  Status run(std::int32_t token, OffloadedStep& step);

  Transformer& model;
  OffloadedDecodeOptions options;
  RecomputeShape shape;
  KvRecompute recompute;
  BlockPool pool;
  KvCache cache;  // of one layer at a time
  std::unique_ptr<OffloadedPrompt> prompt;
  RowCodec rows;
  std::unique_ptr<OffloadedWeights> weights;  // null: resident
  std::vector<StreamedBlock> lent;            // what the layer at hand computes with
  DecodedPages pages;
  LayerStream stream;
  std::int32_t position;
  std::vector<float> logits;
  std::vector<OffloadedStep> steps;
  std::deque<double> rests, rates;  // of the newest steps: seconds of a layer besides, and of a token computed anew
  std::deque<Request> requests;  // as the layers in `stream`
  Request newest;
  int next_layer = 0;  // to be asked for
};

// By what was measured beforehand, and once there are steps by the medians of the newest: what else runs on the machine counts, too.
RecomputeCosts OffloadedDecode::State::costs() const {
  const auto median = [](const std::deque<double>& numbers) {
    std::vector<double> sorted(numbers.begin(), numbers.end());
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  };
  const RecomputeRate rate = rates.empty() ? options.profile.recompute : RecomputeRate{0, median(rates)};
  StreamedWeights streamed{options.weights, 0, 0};
  if (weights) streamed.key_value_bytes = static_cast<double>(weights->layer(0).key_value_bytes), streamed.other_bytes = static_cast<double>(weights->layer(0).other_bytes);
  return recompute_costs(RecomputeSchedule::column, TransferOverlap::across_layers, shape, options.profile.link, rate, 1, streamed,
                         rests.empty() ? options.profile.rest_seconds : median(rests));
}

void OffloadedDecode::State::learn(const OffloadedStep& step) {
  if (options.frozen) return;
  rests.push_back(std::max(0.0, step.seconds - step.waited_seconds - step.recompute_seconds) / layers());
  if (step.recomputed_tokens > 0) rates.push_back(step.recompute_seconds / layers() / step.recomputed_tokens);
  for (auto* newest_steps : {&rests, &rates})
    if (newest_steps->size() > 7) newest_steps->pop_front();
}

void OffloadedDecode::State::solve() {
  const RecomputeCosts now = costs();
  newest.pages = pages.written_pages();
  newest.streamed = prompt->tokens() + static_cast<int>(newest.pages) * pages.page_tokens();
  newest.recomputed = options.mode == SplitMode::recompute_only ? prompt->tokens() : 0;
  if (options.mode == SplitMode::solved)
    newest.recomputed = solve_split(now, newest.streamed, prompt->tokens(), options.chunk_tokens).recomputed_tokens;
  newest.predicted_seconds = now.seconds(newest.recomputed, newest.streamed) * layers();
}

// In the order of computing: the first layers of the next step follow the last of this one.
Status OffloadedDecode::State::request_next() {
  if (next_layer == 0) solve();
  std::vector<OffloadedLayer> decoded;
  for (std::size_t page = 0; page < newest.pages; ++page) decoded.push_back(pages.layer(page, next_layer));
  KV_TRY(stream.request(prompt->layer(next_layer), decoded, newest.recomputed, weights ? &weights->layer(next_layer) : nullptr, options.weights));
  requests.push_back(newest);
  next_layer = (next_layer + 1) % layers();
  return {};
}

Status OffloadedDecode::State::take_in(int layer, OffloadedStep& step) {
  while (stream.blocks_left() > 0) {
    auto block = stream.take();
    if (!block) return tl::unexpected(std::move(block).error());
    using Kind = StreamedBlock::Kind;
    if (block->kind == Kind::key_value_weights || block->kind == Kind::other_weights) {
      weights->lent().lend(layer, block->kind == Kind::key_value_weights ? WeightPart::keys_values : WeightPart::others, block->rows());
      lent.push_back(std::move(*block));
      continue;
    }
    const auto arrived = keys_values_of(*block, layer, recompute, rows, step.recompute_seconds);
    if (!arrived) return tl::unexpected(arrived.error());
    KV_TRY(append_rows(cache, layer, arrived->keys, arrived->values, block->first, block->tokens));
  }
  stream.next_layer();
  KV_TRY(pages.append_held(cache, layer, requests.front().pages));
  requests.pop_front();
  return {};
}

Status OffloadedDecode::State::run(std::int32_t token, OffloadedStep& step) {
  const SystemClock clock;
  const double start = clock.seconds(), waited = stream.waited_seconds();
  const std::uint64_t inputs = stream.input_bytes(), keys_values = stream.kv_bytes(), matrices = stream.weight_bytes();
  step.recomputed_tokens = requests.front().recomputed;
  step.streamed_tokens = requests.front().streamed;
  step.predicted_seconds = requests.front().predicted_seconds;
  DecodeTask task(model, cache, token, position);
  for (int layer = 0; layer < layers(); ++layer) {
    KV_TRY(take_in(layer, step));
    KV_TRY(request_next());  // its buffers are free: the tier goes on while this layer computes
    KV_TRY(task.step());
    pages.take_row(cache, layer);
    clear_layer(cache, layer);
    if (weights) weights->lent().release(layer);
    lent.clear();
  }
  KV_TRY(pages.end_step());
  pages.release(requests.front().pages);  // the oldest layer under way counts on the fewest pages
  logits.assign(task.logits().begin(), task.logits().end());
  ++position;
  step.input_bytes = stream.input_bytes() - inputs;
  step.kv_bytes = stream.kv_bytes() - keys_values;
  step.weight_bytes = stream.weight_bytes() - matrices;
  step.waited_seconds = stream.waited_seconds() - waited;
  step.seconds = clock.seconds() - start;
  learn(step);
  return {};
}

OffloadedDecode::OffloadedDecode(std::unique_ptr<State> state) : state_(std::move(state)) {}
OffloadedDecode::~OffloadedDecode() = default;

Expected<std::unique_ptr<OffloadedDecode>> OffloadedDecode::begin(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                                  const std::vector<std::int32_t>& prompt, const OffloadedDecodeOptions& options) {
  if (options.chunk_tokens < 1) return fail(ErrorCode::usage, "decode-offload: chunks of no tokens; give 1 or more, 64 as a rule");
  const auto rows = RowCodec::make(model.kv_shape(), options.codec);
  if (!rows) return tl::unexpected(rows.error());
  if (options.mode == SplitMode::solved) KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model, *rows, options.chunk_tokens)));
  auto prefilled = prefill_offloaded(model, tier, prompt, options.chunk_tokens, options.name, options.codec);
  if (!prefilled) return tl::unexpected(std::move(prefilled).error());
  std::unique_ptr<OffloadedDecode> decode(new OffloadedDecode(std::make_unique<State>(model, tier, lender, std::move(*prefilled), options)));
  if (options.weights != WeightLoading::resident) {
    auto weights = OffloadedWeights::write(model, tier, options.name);
    if (!weights) return tl::unexpected(std::move(weights).error());
    decode->state_->weights = std::move(*weights);
  }
  for (int buffers = 0; buffers < 2; ++buffers) KV_TRY(decode->state_->request_next());
  return decode;
}

Expected<OffloadedStep> OffloadedDecode::step(std::int32_t token) {
  OffloadedStep step;
  if (auto status = state_->run(token, step); !status) return tl::unexpected(std::move(status).error());
  state_->steps.push_back(step);
  return step;
}

std::span<const float> OffloadedDecode::logits() const { return state_->logits; }
const std::vector<OffloadedStep>& OffloadedDecode::steps() const { return state_->steps; }
std::uint64_t OffloadedDecode::offloaded_bytes() const { return state_->prompt->bytes() + state_->pages.written_bytes(); }
std::uint64_t OffloadedDecode::held_bytes() const { return state_->pages.held_bytes(); }

}  // namespace kvantage
