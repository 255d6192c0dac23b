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

Expected<PrefilledPrompt> prefill_offloaded(Transformer& model, StorageTier& tier, const std::vector<std::int32_t>& prompt, int chunk_tokens, const std::string& name) {
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
  auto written = OffloadedPrompt::write(model, cache, inputs, tokens, chunk_tokens, tier, name);
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
        shape(recompute_shape(transformer)),
        recompute(transformer, settings.chunk_tokens),
        pool(transformer.kv_shape(), 64, pool_bytes(transformer)),
        cache(pool),
        prompt(std::move(prefilled.prompt)),
        pages(transformer.kv_shape(), tier, prompt->tokens(), settings.chunk_tokens, settings.name),
        stream(tier, lender, layer_input_bytes(transformer), layer_row_bytes(transformer.kv_shape())),
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
  return recompute_costs(RecomputeSchedule::column, TransferOverlap::across_layers, shape, options.profile.link, rate, 1, {},
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
  KV_TRY(stream.request(prompt->layer(next_layer), decoded, newest.recomputed));
  requests.push_back(newest);
  next_layer = (next_layer + 1) % layers();
  return {};
}

Status OffloadedDecode::State::take_in(int layer, OffloadedStep& step) {
  const SystemClock clock;
  while (stream.blocks_left() > 0) {
    auto block = stream.take();
    if (!block) return tl::unexpected(std::move(block).error());
    std::span<const std::byte> keys = block->rows().first(block->bytes / 2), values = block->rows().subspan(block->bytes / 2);
    if (block->is_inputs) {
      const double start = clock.seconds();
      KV_TRY(recompute.run(layer, block->rows(), block->first, block->tokens));
      step.recompute_seconds += clock.seconds() - start;
      keys = recompute.keys();
      values = recompute.values();
    }
    KV_TRY(append_rows(cache, layer, keys, values, block->first, block->tokens));
  }
  stream.next_layer();
  KV_TRY(pages.append_held(cache, layer, requests.front().pages));
  requests.pop_front();
  return {};
}

Status OffloadedDecode::State::run(std::int32_t token, OffloadedStep& step) {
  const SystemClock clock;
  const double start = clock.seconds(), waited = stream.waited_seconds();
  const std::uint64_t inputs = stream.input_bytes(), keys_values = stream.kv_bytes();
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
  }
  KV_TRY(pages.end_step());
  pages.release(requests.front().pages);  // the oldest layer under way counts on the fewest pages
  logits.assign(task.logits().begin(), task.logits().end());
  ++position;
  step.input_bytes = stream.input_bytes() - inputs;
  step.kv_bytes = stream.kv_bytes() - keys_values;
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
  if (options.mode == SplitMode::solved) KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model)));
  auto prefilled = prefill_offloaded(model, tier, prompt, options.chunk_tokens, options.name);
  if (!prefilled) return tl::unexpected(std::move(prefilled).error());
  std::unique_ptr<OffloadedDecode> decode(new OffloadedDecode(std::make_unique<State>(model, tier, lender, std::move(*prefilled), options)));
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
