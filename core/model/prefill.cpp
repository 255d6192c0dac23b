// The steps of a prefill; the arithmetic of a layer is in prefill_pass.cpp.
#include "core/model/prefill.h"

#include <algorithm>
#include <numeric>

#include "core/model/prefill_pass.h"

namespace kvantage::inline model {

PrefillTask::State::State(Transformer& transformer, KvCache& target, std::vector<std::int32_t> ids,
                          std::int32_t first_position, const PrefillOptions& settings)
    : model(transformer.impl()), cache(target), tokens(std::move(ids)), first(first_position), options(settings) {
  options.chunk_tokens = std::max(1, options.chunk_tokens);
  options.window_queries = std::clamp(options.window_queries, 0, static_cast<int>(tokens.size()));
}

bool PrefillTask::State::needs_output() const {
  return !top_layer() || options.logits == PrefillLogits::all ||
         (options.logits == PrefillLogits::last && last_chunk());
}

bool PrefillTask::State::needs_queries() const {
  return needs_output() || (window.window > 0 && chunk_start() + chunk_size() > total() - window.window);
}

at::Tensor PrefillTask::State::present_residual() const {
  return residual.narrow(0, layers_first() ? chunk_start() : 0, chunk_size());
}

float* PrefillTask::State::residual_row(int t) const {
  return residual.data_ptr<float>() + (layers_first() ? chunk_start() + t : t) * residual.stride(0);
}

Status PrefillTask::State::begin() {
  KV_TRY(check_request(model, cache, tokens, first));
  if (model.device != nullptr) {
    on_device = model.device->prefill(cache, tokens, first, options);
    begun = true;
    return {};
  }
  const ModelConfig& config = model.config;
  residual = at::empty({layers_first() ? total() : std::min(options.chunk_tokens, total()), config.hidden},
                       at::TensorOptions(at::kFloat));
  if (options.window_queries > 0) {
    window.heads = config.heads;
    window.window = options.window_queries;
    window.layers.assign(static_cast<std::size_t>(config.layers),
                         std::vector<float>(static_cast<std::size_t>(config.heads * config.head_dim) *
                                            static_cast<std::size_t>(window.window)));
  }
  if (options.logits != PrefillLogits::none)
    logit_values.resize(static_cast<std::size_t>(config.vocab_size) *
                        (options.logits == PrefillLogits::all ? tokens.size() : 1));
  buffers = model.pass_buffers.lock();
  if (buffers == nullptr) model.pass_buffers = buffers = std::make_shared<PassBuffers>();
  begun = true;
  return {};
}

void PrefillTask::State::begin_chunk() {
  const int size = chunk_size();
  for (int t = 0; layer == 0 && t < size; ++t)
    model.embed(tokens[static_cast<std::size_t>(chunk_start() + t)], first + chunk_start() + t, residual_row(t));
  model.rotations.fill(first + chunk_start(), size, ropes);
  positions.resize(static_cast<std::size_t>(size));
  std::iota(positions.begin(), positions.end(), first + chunk_start());
}

Status PrefillTask::State::begin_step() {
  if (!begun) KV_TRY(begin());
  if (on_device == nullptr && (layer == 0 || layers_first())) begin_chunk();
  return {};
}

Status PrefillTask::State::step() {
  KV_TRY(begin_step());
  if (on_device != nullptr) return on_device->step(layer, chunk);
  State* const alone = this;
  return PrefillPass({&alone, 1}).run().front();
}

void PrefillTask::State::advance() {
  if (layers_first()) {
    if (++chunk < chunks()) return;
    chunk = 0;
    finished = ++layer == model.config.layers;
  } else {
    if (++layer < model.config.layers) return;
    layer = 0;
    finished = ++chunk == chunks();
  }
  if (!finished) return;
  buffers.reset();
  if (on_device == nullptr) return;
  logit_values = on_device->take_logits();
  window = on_device->take_window_queries();
  on_device.reset();
}

// Everything that it writes is written again by the layer's steps.
Status PrefillTask::State::queries_ahead(std::vector<float>& queries) {
  if (!begun) KV_TRY(begin());
  if (finished || on_device != nullptr || chunk != 0 || (chunks() > 1 && !layers_first()))
    return fail(ErrorCode::internal, "prefill: the queries of a layer are only known before its first chunk");
  queries.resize(static_cast<std::size_t>(model.config.heads * model.config.head_dim) * tokens.size());
  State* const alone = this;
  for (; chunk < chunks(); ++chunk) {
    KV_TRY(begin_step());
    PrefillPass({&alone, 1}).take_queries(queries);
  }
  return {};
}

PrefillTask::PrefillTask(Transformer& model, KvCache& cache, std::vector<std::int32_t> tokens,
                         std::int32_t first_position, const PrefillOptions& options)
    : state_(std::make_unique<State>(model, cache, std::move(tokens), first_position, options)) {}
PrefillTask::~PrefillTask() = default;
PrefillTask::PrefillTask(PrefillTask&&) noexcept = default;
PrefillTask& PrefillTask::operator=(PrefillTask&&) noexcept = default;

Status PrefillTask::step() {
  if (state_->finished) return {};
  KV_TRY(guarded([this] { return state_->step(); }));
  state_->advance();
  return {};
}

Status PrefillTask::run() {
  while (!done()) KV_TRY(step());
  return {};
}

Expected<std::vector<float>> PrefillTask::next_queries() {
  std::vector<float> queries;
  const int chunk = state_->chunk;
  const Status status = guarded([&] { return state_->queries_ahead(queries); });
  state_->chunk = chunk;
  if (!status) return tl::unexpected(status.error());
  return queries;
}

bool PrefillTask::done() const { return state_->finished; }
int PrefillTask::next_layer() const { return state_->layer; }
int PrefillTask::next_chunk() const { return state_->chunk; }
int PrefillTask::chunks() const { return state_->chunks(); }
int PrefillTask::steps_left() const {
  const int layers = state_->model.config.layers, chunks = state_->chunks();
  if (state_->finished) return 0;
  return state_->layers_first() ? (layers - state_->layer) * chunks - state_->chunk
                                : (chunks - state_->chunk) * layers - state_->layer;
}
std::int32_t PrefillTask::first_position() const { return state_->first; }
std::int32_t PrefillTask::end_position() const { return state_->first + state_->total(); }
bool PrefillTask::rows_stay() const { return state_->options.rows_may_stay && state_->model.device != nullptr; }
std::span<const float> PrefillTask::logits() const { return state_->logit_values; }
WindowQueries PrefillTask::take_window_queries() { return std::move(state_->window); }

}  // namespace kvantage::inline model
