// A chunk of tokens through one layer: libtorch multiplies matrices, own kernels do the rest.
#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

#include "core/model/chunk_attention.h"
#include "core/model/experts.h"
#include "core/model/layer_math.h"
#include "core/model/model_device.h"
#include "core/model/projection.h"
#include "core/model/recompute.h"

namespace kvantage::inline model {
namespace {

/// A row of a row-major tensor of any element type.
std::byte* row_of(const at::Tensor& tensor, int row) {
  return static_cast<std::byte*>(tensor.data_ptr()) +
         static_cast<std::ptrdiff_t>(row) * tensor.stride(0) * static_cast<std::ptrdiff_t>(tensor.element_size());
}

constexpr int rows_worth_splitting = 16;

}  // namespace

struct PrefillTask::State {
  State(Transformer& transformer, KvCache& target, std::vector<std::int32_t> ids, std::int32_t first_position,
        const PrefillOptions& settings)
      : model(transformer.impl()), cache(target), tokens(std::move(ids)), first(first_position), options(settings) {
    options.chunk_tokens = std::max(1, options.chunk_tokens);
    options.window_queries = std::clamp(options.window_queries, 0, static_cast<int>(tokens.size()));
  }

  int total() const { return static_cast<int>(tokens.size()); }
  int chunks() const { return (total() + options.chunk_tokens - 1) / options.chunk_tokens; }
  int chunk_start() const { return chunk * options.chunk_tokens; }
  int chunk_size() const { return std::min(options.chunk_tokens, total() - chunk_start()); }
  bool last_chunk() const { return chunk + 1 == chunks(); }
  bool layers_first() const { return options.layers_first && model.device == nullptr; }
  /// Of the present chunk.
  std::byte* residual_row(int t) const { return row_of(residual, layers_first() ? chunk_start() + t : t); }

  Status step();
  Status begin();
  void begin_chunk();
  Status run_layer();
  void project(const Matrix& matrix, const at::Tensor& input, at::Tensor& output, bool with_bias);
  void norm(const std::vector<float>& weight, const std::vector<float>& bias);
  void norm_residual(const std::vector<float>& weight, const std::vector<float>& bias);
  void multiply_up_and_down(const LayerWeights& weights);
  void project_heads(const Matrix& matrix, const std::vector<float>& norm_weight, at::Tensor& output);
  HeadPass head_pass(const at::Tensor& projected, const Matrix& matrix, int heads,
                     const std::vector<float>& norm_weight) const;
  Status append_keys_and_values(const LayerWeights& weights);
  void keep_window(const LayerWeights& weights);
  void write_queries(const LayerWeights& weights, int from, int to, int first_kept, int kept, float* target);
  Status queries_ahead(std::vector<float>& queries);
  void attend(const LayerWeights& weights);
  void add_to_residual(const Matrix& matrix, const at::Tensor& input, const std::vector<float>& output_norm);
  void write_logits();

  Transformer::Impl& model;
  KvCache& cache;
  std::vector<std::int32_t> tokens;
  std::int32_t first;
  PrefillOptions options;
  int layer = 0;
  int chunk = 0;
  bool begun = false;
  bool finished = false;
  std::unique_ptr<ModelDevice::Prefill> on_device;  // replaces everything below except the results

  RopeTables ropes;
  std::vector<std::int32_t> positions;
  at::Tensor residual;                                        // [chunk, hidden] fp32; layers_first(): of all chunks
  at::Tensor normed, query, key, value, attended, projected;  // [chunk, ...] in the compute type
  at::Tensor rotated, gate, up;
  std::vector<std::byte> cache_keys, cache_values;  // [chunk, kv_heads, head_dim] KvType
  std::vector<float> logit_values;
  WindowQueries window;
};

Status PrefillTask::State::step() {
  if (!begun) KV_TRY(begin());
  if (on_device != nullptr) return on_device->step(layer, chunk);
  if (layer == 0 || layers_first()) begin_chunk();
  return run_layer();
}

Status PrefillTask::State::begin() {
  KV_TRY(check_request(model, cache, tokens, first));
  if (model.device != nullptr) {
    on_device = model.device->prefill(cache, tokens, first, options);
    begun = true;
    return {};
  }
  const ModelConfig& config = model.config;
  const int most = std::min(options.chunk_tokens, total());
  const int q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim;
  const auto buffer = [&](int columns, at::ScalarType type) {
    return at::empty({most, columns}, at::TensorOptions(type));
  };
  residual = at::empty({layers_first() ? total() : most, config.hidden}, at::TensorOptions(at::kFloat));
  normed = buffer(config.hidden, model.scalar());
  projected = buffer(config.hidden, model.scalar());
  query = buffer(q, model.scalar());
  rotated = buffer(q, model.scalar());
  attended = buffer(q, model.scalar());
  key = buffer(kv, model.scalar());
  value = buffer(kv, model.scalar());
  if (config.form.gated) gate = buffer(config.intermediate, model.scalar());
  up = buffer(config.intermediate, model.scalar());
  const auto kv_bytes = static_cast<std::size_t>(most) * static_cast<std::size_t>(kv) * bytes_of(model.kv_type);
  cache_keys.resize(kv_bytes);
  cache_values.resize(kv_bytes);
  if (options.window_queries > 0) {
    window.heads = config.heads;
    window.window = options.window_queries;
    window.layers.assign(static_cast<std::size_t>(config.layers),
                         std::vector<float>(static_cast<std::size_t>(q) * static_cast<std::size_t>(window.window)));
  }
  if (options.logits != PrefillLogits::none)
    logit_values.resize(static_cast<std::size_t>(config.vocab_size) *
                        (options.logits == PrefillLogits::all ? tokens.size() : 1));
  begun = true;
  return {};
}

void PrefillTask::State::begin_chunk() {
  const int size = chunk_size();
  for (int t = 0; layer == 0 && t < size; ++t)
    model.embed(tokens[static_cast<std::size_t>(chunk_start() + t)], first + chunk_start() + t,
                reinterpret_cast<float*>(residual_row(t)));
  model.rotations.fill(first + chunk_start(), size, ropes);
  positions.resize(static_cast<std::size_t>(size));
  std::iota(positions.begin(), positions.end(), first + chunk_start());
}

void PrefillTask::State::project(const Matrix& matrix, const at::Tensor& input, at::Tensor& output, bool with_bias) {
  kvantage::project(model, matrix, input.narrow(0, 0, chunk_size()), output.narrow(0, 0, chunk_size()), with_bias);
}

void PrefillTask::State::norm(const std::vector<float>& weight, const std::vector<float>& bias) {
  if (weight.empty() || model.config.form.norms.after) {  // the residual stream itself is multiplied
    normed.narrow(0, 0, chunk_size()).copy_(residual.narrow(0, layers_first() ? chunk_start() : 0, chunk_size()));
    return;
  }
  for_parts(chunk_size(), rows_worth_splitting * 4, [&](int begin_row, int end_row) {
    for (int t = begin_row; t < end_row; ++t)
      model.norm(reinterpret_cast<const float*>(residual_row(t)), weight, bias, row_of(normed, t), model.element());
  });
}

void PrefillTask::State::norm_residual(const std::vector<float>& weight, const std::vector<float>& bias) {
  for_parts(chunk_size(), rows_worth_splitting * 4, [&](int begin_row, int end_row) {
    for (int t = begin_row; t < end_row; ++t) {
      auto* const row = reinterpret_cast<float*>(residual_row(t));
      model.norm(row, weight, bias, row, Element::fp32);
    }
  });
}

HeadPass PrefillTask::State::head_pass(const at::Tensor& source, const Matrix& matrix, int heads,
                                       const std::vector<float>& norm_weight) const {
  HeadPass job;
  job.input = source.const_data_ptr();
  job.input_type = model.element();
  job.tokens = chunk_size();
  job.heads = heads;
  job.head_dim = model.config.head_dim;
  if (norm_weight.empty() || !model.config.form.norms.whole_heads) {  // else project_heads() did both
    job.bias = matrix.bias_or_null();
    job.norm = norm_weight.empty() ? nullptr : norm_weight.data();
  }
  job.eps = model.config.rms_eps;
  if (const RopeTable* const table = table_of(ropes, model.config.layer_form(layer)); table != nullptr) {
    job.cosines = table->cosines.data();
    job.sines = table->sines.data();
  }
  return job;
}

// Of q or k. The head pass adds biases in fp32 and applies norms of single heads.
void PrefillTask::State::project_heads(const Matrix& matrix, const std::vector<float>& norm_weight,
                                       at::Tensor& output) {
  project(matrix, normed, output, false);
  if (!norm_weight.empty() && model.config.form.norms.whole_heads)
    norm_whole_rows(model, output.data_ptr(), model.element(), matrix.bias_or_null(), norm_weight, chunk_size());
}

Status PrefillTask::State::append_keys_and_values(const LayerWeights& weights) {
  const ModelConfig& config = model.config;
  project_heads(weights.key, weights.key_norm, key);
  project(weights.value, normed, value, false);
  HeadPass keys = head_pass(key, weights.key, config.kv_heads, weights.key_norm);
  keys.output = cache_keys.data();
  keys.output_type = model.kv_element();
  run_heads(model.kernel(), keys);
  HeadPass values = head_pass(value, weights.value, config.kv_heads, {});
  values.cosines = values.sines = nullptr;
  values.output = cache_values.data();
  values.output_type = model.kv_element();
  run_heads(model.kernel(), values);
  const auto bytes = static_cast<std::size_t>(chunk_size()) *
                     static_cast<std::size_t>(config.kv_heads * config.head_dim) * bytes_of(model.kv_type);
  return cache.append(layer, {cache_keys.data(), bytes}, {cache_values.data(), bytes}, positions);
}

void PrefillTask::State::keep_window(const LayerWeights& weights) {
  const int window_start = total() - window.window;  // index of the first token of the window
  const int from = std::max(window_start, chunk_start()), to = chunk_start() + chunk_size();
  if (from < to)
    write_queries(weights, from, to, window_start, window.window,
                  window.layers[static_cast<std::size_t>(layer)].data());
}

// Of tokens [from, to), which are in this chunk, into [heads, kept, head_dim], where first_kept is the first token.
void PrefillTask::State::write_queries(const LayerWeights& weights, int from, int to, int first_kept, int kept,
                                       float* target) {
  const ModelConfig& config = model.config;
  const auto width = static_cast<std::size_t>(config.heads * config.head_dim);
  std::vector<float> rows(width * static_cast<std::size_t>(to - from));
  HeadPass job = head_pass(query, weights.query, config.heads, weights.query_norm);
  const int skipped = from - chunk_start();
  job.input = row_of(query, skipped);
  if (job.cosines != nullptr) {
    job.cosines += static_cast<std::ptrdiff_t>(skipped) * (config.head_dim / 2);
    job.sines += static_cast<std::ptrdiff_t>(skipped) * (config.head_dim / 2);
  }
  job.scale = model.observed_scale();
  job.tokens = to - from;
  job.output = rows.data();
  job.output_type = Element::fp32;
  run_heads(model.kernel(), job);
  store_by_head(config, rows, from - first_kept, kept, target);
}

// Everything that it writes is written again by the layer's steps.
Status PrefillTask::State::queries_ahead(std::vector<float>& queries) {
  if (!begun) KV_TRY(begin());
  if (finished || on_device != nullptr || chunk != 0 || (chunks() > 1 && !layers_first()))
    return fail(ErrorCode::internal, "prefill: the queries of a layer are only known before its first chunk");
  const ModelConfig& config = model.config;
  const LayerWeights& weights = model.layers[static_cast<std::size_t>(layer)];
  queries.resize(static_cast<std::size_t>(config.heads * config.head_dim) * tokens.size());
  for (; chunk < chunks(); ++chunk) {
    if (layer == 0 || layers_first()) begin_chunk();
    norm(weights.input_norm, weights.input_norm_bias);
    project_heads(weights.query, weights.query_norm, query);
    write_queries(weights, chunk_start(), chunk_start() + chunk_size(), 0, total(), queries.data());
  }
  return {};
}

void PrefillTask::State::attend(const LayerWeights& weights) {
  const ModelConfig& config = model.config;
  HeadPass scaled = head_pass(query, weights.query, config.heads, weights.query_norm);
  scaled.scale = model.score_scale();
  scaled.output = rotated.data_ptr();
  scaled.output_type = model.element();
  run_heads(model.kernel(), scaled);
  attend_chunk(model, cache, layer, {rotated.const_data_ptr(), attended.data_ptr(), positions});
}

void PrefillTask::State::add_to_residual(const Matrix& matrix, const at::Tensor& input,
                                         const std::vector<float>& output_norm) {
  project(matrix, input, projected, false);
  for_parts(chunk_size(), rows_worth_splitting * 4, [&](int begin_row, int end_row) {
    add_outputs(model, reinterpret_cast<float*>(residual_row(begin_row)), row_of(projected, begin_row), model.element(),
                matrix.bias_or_null(), output_norm, end_row - begin_row);
  });
}

void PrefillTask::State::write_logits() {
  const auto vocabulary = static_cast<std::size_t>(model.config.vocab_size);
  if (options.logits == PrefillLogits::all)
    model.logits(reinterpret_cast<const float*>(residual_row(0)), chunk_size(),
                 &logit_values[static_cast<std::size_t>(chunk_start()) * vocabulary]);
  else if (options.logits == PrefillLogits::last && last_chunk())
    model.logits(reinterpret_cast<const float*>(residual_row(chunk_size() - 1)), 1, logit_values.data());
}

Status PrefillTask::State::run_layer() {
  const LayerWeights& weights = model.layers[static_cast<std::size_t>(layer)];
  const bool top = layer + 1 == model.config.layers;
  const bool needs_output =
      !top || options.logits == PrefillLogits::all || (options.logits == PrefillLogits::last && last_chunk());
  const bool needs_queries =
      needs_output || (window.window > 0 && chunk_start() + chunk_size() > total() - window.window);

  norm(weights.input_norm, weights.input_norm_bias);
  if (model.input_sink != nullptr)
    model.input_sink->take(
        layer, first + chunk_start(), chunk_size(),
        {row_of(normed, 0), static_cast<std::size_t>(chunk_size()) * normed.stride(0) * normed.element_size()});
  KV_TRY(append_keys_and_values(weights));
  if (needs_queries) project_heads(weights.query, weights.query_norm, query);
  if (window.window > 0) keep_window(weights);
  if (!needs_output) return {};  // nobody reads the output of the last layer

  const ModelForm& form = model.config.form;
  attend(weights);
  if (form.parallel) norm(weights.attention_norm, weights.attention_norm_bias);
  add_to_residual(weights.output, attended, weights.extra.attention_output_norm);
  if (form.norms.after) norm_residual(weights.input_norm, weights.input_norm_bias);
  if (!form.parallel) norm(weights.attention_norm, weights.attention_norm_bias);
  multiply_up_and_down(weights);
  if (top) write_logits();
  return {};
}

void PrefillTask::State::multiply_up_and_down(const LayerWeights& weights) {
  if (!weights.extra.experts.empty()) {
    const at::Tensor sums = run_experts(model, weights, normed.narrow(0, 0, chunk_size()));
    for_parts(chunk_size(), rows_worth_splitting * 4, [&](int begin_row, int end_row) {
      add_outputs(model, reinterpret_cast<float*>(residual_row(begin_row)), row_of(sums, begin_row), Element::fp32,
                  nullptr, weights.extra.mlp_output_norm, end_row - begin_row);
    });
    return;
  }
  const bool gated = model.config.form.gated;
  project(weights.up, normed, up, true);
  if (gated) project(weights.gate, normed, gate, true);
  for_parts(chunk_size(), rows_worth_splitting, [&](int begin_row, int end_row) {
    const auto count =
        static_cast<std::size_t>(model.config.intermediate) * static_cast<std::size_t>(end_row - begin_row);
    if (gated)
      gate_rows(model, row_of(gate, begin_row), row_of(up, begin_row), count, model.element());
    else
      activate_rows(model, row_of(up, begin_row), count, model.element());
  });
  add_to_residual(weights.down, gated ? gate : up, weights.extra.mlp_output_norm);
  if (!gated && model.config.form.norms.after) norm_residual(weights.attention_norm, weights.attention_norm_bias);
}

PrefillTask::PrefillTask(Transformer& model, KvCache& cache, std::vector<std::int32_t> tokens,
                         std::int32_t first_position, const PrefillOptions& options)
    : state_(std::make_unique<State>(model, cache, std::move(tokens), first_position, options)) {}
PrefillTask::~PrefillTask() = default;
PrefillTask::PrefillTask(PrefillTask&&) noexcept = default;
PrefillTask& PrefillTask::operator=(PrefillTask&&) noexcept = default;

Status PrefillTask::step() {
  State& s = *state_;
  if (s.finished) return {};
  KV_TRY(guarded([&s] { return s.step(); }));
  if (s.layers_first()) {
    if (++s.chunk < s.chunks()) return {};
    s.chunk = 0;
    s.finished = ++s.layer == s.model.config.layers;
    return {};
  }
  if (++s.layer < s.model.config.layers) return {};
  s.layer = 0;
  s.finished = ++s.chunk == s.chunks();
  if (s.finished && s.on_device != nullptr) {
    s.logit_values = s.on_device->take_logits();
    s.window = s.on_device->take_window_queries();
    s.on_device.reset();
  }
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
