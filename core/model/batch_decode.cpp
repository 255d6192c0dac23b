// One token each of several sequences through one layer, in fp32 (attention multiplies in bf16 where the model does)
// with own kernels: for so few rows a GEMM library spends longer choosing a kernel than multiplying. A single sequence
// is a batch of one.
#include <algorithm>
#include <array>

#include "core/model/batch_decode.h"
#include "core/model/decode_attention.h"
#include "core/model/experts.h"
#include "core/model/layer_math.h"
#include "core/model/model_device.h"
#include "core/model/recompute.h"
#include "core/model/transformer_impl.h"

namespace kvantage::inline model {
namespace {

std::size_t count(int a, int b = 1) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

/// Rows of a head whose tokens come after `position`.
int rows_after(const HeadView& head, std::int32_t position) { return head.kept - first_row_from(head, position + 1); }

}  // namespace

struct BatchDecodeTask::State {
  State(Transformer& transformer, std::vector<DecodeSequence> all)
      : model(transformer.impl()), sequences(std::move(all)), left(sequences.size(), false) {}

  Status begin();
  Status check() const;
  Status run_on_device(ModelDevice& device);
  Status run_layer();
  Status append();
  void attend();
  AttentionShape attention_shape() const;
  void attend_selected(std::size_t sequence);
  void unscale_queries();
  Status call_hooks();
  void norm(const std::vector<float>& weight, const std::vector<float>& bias);
  void norm_residual(const std::vector<float>& weight, const std::vector<float>& bias);
  void multiply_up_and_down(const LayerWeights& weights);
  void report_inputs(const LayerWeights& weights) const;
  void project_heads(const LayerWeights& weights);
  void head_pass(float* input, int heads, const std::vector<float>& norm_weight, const RopeTable* table, float scale,
                 Element type, void* output) const;

  /// Whether the next sequence is a later token of the same cache.
  bool continues(std::size_t s) const {
    return s + 1 < sequences.size() && sequences[s + 1].cache == sequences[s].cache;
  }
  int batch() const { return static_cast<int>(sequences.size()); }
  std::size_t query_width() const { return count(model.config.heads, model.config.head_dim); }

  Transformer::Impl& model;
  std::vector<DecodeSequence> sequences;
  std::vector<bool> left;
  bool alone = false;  // a DecodeTask: never on a device
  int layer = 0;
  bool begun = false;
  bool finished = false;
  /// Within the layer, for a step() that resumes.
  struct Progress {
    bool projected = false;    // queries, keys and values are ready
    std::size_t appended = 0;  // sequences with this layer's token appended
    bool attended = false;
    std::size_t hooked = 0;  // sequences whose hooks have seen this layer
  } progress;

  RopeTables ropes;  // [batch, head_dim / 2] each
  std::vector<float> residual, normed, query, plain_query, key, value, attended, projected, gate, up,
      logits;                                     // [batch, ...]
  std::vector<std::byte> cache_key, cache_value;  // [batch, kv_heads, head_dim] KvType
  std::vector<HeadRows> head_rows;                // of all heads of a layer; reused to avoid allocations per layer
  std::vector<HeadAttention> head_jobs;
};

Status BatchDecodeTask::State::check() const {
  for (std::size_t s = 0; s < sequences.size(); ++s)
    if (!left[s])
      KV_TRY(check_request(model, *sequences[s].cache, std::array{sequences[s].token}, sequences[s].position));
  return {};
}

// All layers at once, of the remaining sequences.
Status BatchDecodeTask::State::run_on_device(ModelDevice& device) {
  KV_TRY(check());
  std::vector<DecodeSequence> present;
  for (std::size_t s = 0; s < sequences.size(); ++s)
    if (!left[s]) present.push_back(sequences[s]);
  if (!device.calls_hooks() &&
      std::ranges::any_of(present, [](const DecodeSequence& sequence) { return sequence.hooks != nullptr; }))
    return fail(ErrorCode::internal, "decoding: a device calls no decode hooks");
  if (!present.empty()) {
    KV_ASSIGN(const auto numbers, device.decode(present));
    const std::size_t width = count(model.config.vocab_size);
    logits.resize(sequences.size() * width);
    for (std::size_t s = 0, next = 0; s < sequences.size(); ++s)
      if (!left[s]) std::copy_n(&numbers[next++ * width], width, &logits[s * width]);
  }
  layer = model.config.layers - 1;
  return {};
}

Status BatchDecodeTask::State::begin() {
  const ModelConfig& config = model.config;
  KV_TRY(check());
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (sequences[s].hooks != nullptr && sequences[s].cache->encoded() != nullptr)
      return fail(ErrorCode::internal, "decoding: decode hooks cannot read quantized rows");
    if (continues(s) && (sequences[s].hooks != nullptr || sequences[s + 1].hooks != nullptr))
      return fail(ErrorCode::internal, "decoding: decode hooks take one token of a cache at a time");
  }
  residual.resize(count(batch(), config.hidden));
  normed.resize(residual.size());
  projected.resize(residual.size());
  query.resize(sequences.size() * query_width());
  attended.resize(query.size());
  key.resize(count(batch(), config.kv_heads) * count(config.head_dim));
  value.resize(key.size());
  if (config.form.gated) gate.resize(count(batch(), config.intermediate));
  up.resize(count(batch(), config.intermediate));
  logits.resize(count(batch(), config.vocab_size));
  cache_key.resize(key.size() * bytes_of(model.kv_type));
  cache_value.resize(cache_key.size());
  RopeTables one;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    model.embed(sequences[s].token, sequences[s].position, &residual[s * count(config.hidden)]);
    model.rotations.fill(sequences[s].position, 1, one);
    for (const auto& [source, target] : {std::pair{&one.all, &ropes.all}, std::pair{&one.local, &ropes.local}}) {
      target->cosines.insert(target->cosines.end(), source->cosines.begin(), source->cosines.end());
      target->sines.insert(target->sines.end(), source->sines.begin(), source->sines.end());
    }
  }
  begun = true;
  return {};
}

void BatchDecodeTask::State::norm(const std::vector<float>& weight, const std::vector<float>& bias) {
  const std::size_t width = count(model.config.hidden);
  const bool as_it_is = weight.empty() || model.config.form.norms.after;
  if (as_it_is) normed = residual;
  for (std::size_t s = 0; s < sequences.size() && !as_it_is; ++s)
    model.norm(&residual[s * width], weight, bias, &normed[s * width], Element::fp32);
}

void BatchDecodeTask::State::norm_residual(const std::vector<float>& weight, const std::vector<float>& bias) {
  const std::size_t width = count(model.config.hidden);
  for (std::size_t s = 0; s < sequences.size(); ++s)
    model.norm(&residual[s * width], weight, bias, &residual[s * width], Element::fp32);
}

void BatchDecodeTask::State::head_pass(float* input, int heads, const std::vector<float>& norm_weight,
                                       const RopeTable* table, float scale, Element type, void* output) const {
  const bool whole = !norm_weight.empty() && model.config.form.norms.whole_heads;
  if (whole) norm_whole_rows(model, input, Element::fp32, nullptr, norm_weight, batch());
  HeadPass job;
  job.input = input;
  job.output = output;
  job.output_type = type;
  job.tokens = batch();
  job.heads = heads;
  job.head_dim = model.config.head_dim;
  job.norm = norm_weight.empty() || whole ? nullptr : norm_weight.data();
  job.eps = model.config.rms_eps;
  job.cosines = table != nullptr ? table->cosines.data() : nullptr;
  job.sines = table != nullptr ? table->sines.data() : nullptr;
  job.scale = scale;
  model.kernel().head_pass(job);
}

// In the compute type, where products read them so.
void BatchDecodeTask::State::report_inputs(const LayerWeights& weights) const {
  if (model.input_sink == nullptr || !model.rounds_decoded_inputs(weights)) return;
  const std::size_t width = count(model.config.hidden);
  std::vector<Bf16> rounded(model.compute == ComputeType::bf16 ? width : 0);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (left[s]) continue;
    const std::span row(&normed[s * width], width);
    std::ranges::transform(row.first(rounded.size()), rounded.begin(), [](float number) { return to_bf16(number); });
    model.input_sink->take(layer, sequences[s].position, 1,
                           rounded.empty() ? std::as_bytes(row) : std::as_bytes(std::span(rounded)));
  }
}

// Queries, keys and values of the layer from `normed`.
void BatchDecodeTask::State::project_heads(const LayerWeights& weights) {
  const ModelConfig& config = model.config;
  const RopeTable* const table = table_of(ropes, config.layer_form(layer));
  model.multiply(std::array{Product{&weights.query, query.data()}, Product{&weights.key, key.data()},
                            Product{&weights.value, value.data()}},
                 normed.data(), batch());
  head_pass(key.data(), config.kv_heads, weights.key_norm, table, 1.0F, model.kv_element(), cache_key.data());
  head_pass(value.data(), config.kv_heads, {}, nullptr, 1.0F, model.kv_element(), cache_value.data());
  head_pass(query.data(), config.heads, weights.query_norm, table, model.score_scale(), Element::fp32, query.data());
}

Status BatchDecodeTask::State::append() {
  const std::size_t bytes = cache_key.size() / sequences.size();
  for (; progress.appended < sequences.size(); ++progress.appended) {
    if (left[progress.appended]) continue;
    const DecodeSequence& sequence = sequences[progress.appended];
    KV_TRY(sequence.cache->append(layer, std::span(cache_key).subspan(progress.appended * bytes, bytes),
                                  std::span(cache_value).subspan(progress.appended * bytes, bytes),
                                  std::array{sequence.position}));
  }
  return {};
}

AttentionShape BatchDecodeTask::State::attention_shape() const {
  return {model.config.head_dim, model.config.group(), model.element(), model.score_cap()};
}

void BatchDecodeTask::State::attend() {
  const ModelConfig& config = model.config;
  const std::vector<float>& sinks = model.layers[static_cast<std::size_t>(layer)].extra.sinks;
  head_rows.resize(count(batch(), config.kv_heads));
  head_jobs.clear();
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (left[s]) continue;
    const int window = config.window(layer);
    if (window == 0 && sequences[s].hooks != nullptr && sequences[s].hooks->selects(layer)) {
      attend_selected(s);
      continue;
    }
    for (int h = 0; h < config.kv_heads; ++h) {
      const std::size_t offset = s * query_width() + count(h * config.group(), config.head_dim);
      const KvCache& cache = *sequences[s].cache;
      HeadRows& addresses = head_rows[head_jobs.size()];
      KvRows rows = addresses.rows(cache, layer, h, model.kv_element());
      if (window > 0) rows = addresses.from(cache, layer, h, rows, sequences[s].position - window + 1);
      if (continues(s)) rows.kept -= rows_after(cache.head(layer, h), sequences[s].position);
      head_jobs.push_back(
          {rows, &query[offset], &attended[offset], cache.encoded() == nullptr ? nullptr : &cache, layer, h});
      if (!sinks.empty()) head_jobs.back().sinks = &sinks[count(h, config.group())];
    }
  }
  attend_heads(model.kernel(), head_jobs, attention_shape());
}

// Query heads read different rows, so each is a separate job.
void BatchDecodeTask::State::attend_selected(std::size_t sequence) {
  const ModelConfig& config = model.config;
  KvCache& cache = *sequences[sequence].cache;
  const std::vector<float>& sinks = model.layers[static_cast<std::size_t>(layer)].extra.sinks;
  HeadRows addresses;
  std::vector<std::int32_t> slots;
  for (int q = 0; q < config.heads; ++q) {
    const int h = q / config.group();
    const std::size_t offset = sequence * query_width() + count(q, config.head_dim);
    const auto chosen =
        sequences[sequence].hooks->rows(cache, layer, q, {&plain_query[offset], count(config.head_dim)});
    HeadAttention job{
        addresses.rows(cache, layer, h, model.kv_element()), &query[offset], &attended[offset], nullptr, layer, h};
    const HeadView view = cache.head(layer, h);
    slots.clear();
    for (const std::int32_t row : chosen) slots.push_back(view.slot(static_cast<std::size_t>(row)));
    job.rows.kept = static_cast<int>(slots.size());
    job.rows.row_slots = slots.data();
    if (!sinks.empty()) job.sinks = &sinks[static_cast<std::size_t>(q)];
    attend_heads(model.kernel(), {&job, 1}, {config.head_dim, 1, model.element(), model.score_cap()});
  }
}

// Hooks get queries whose products, times 1 / sqrt(head_dim), are the model's scores; attention gets those in its unit.
void BatchDecodeTask::State::unscale_queries() {
  plain_query.resize(query.size());
  const float scale = 1.0F / query_scale(model.config.head_dim);
  for (std::size_t s = 0; s < sequences.size(); ++s)
    for (std::size_t i = s * query_width(); sequences[s].hooks != nullptr && i < (s + 1) * query_width(); ++i)
      plain_query[i] = query[i] * scale;
}

Status BatchDecodeTask::State::call_hooks() {
  for (; progress.hooked < sequences.size(); ++progress.hooked)
    if (const DecodeSequence& one = sequences[progress.hooked];
        !left[progress.hooked] && one.hooks != nullptr && model.config.window(layer) == 0)
      KV_TRY(one.hooks->after_layer(*one.cache, layer,
                                    std::span(plain_query).subspan(progress.hooked * query_width(), query_width())));
  return {};
}

Status BatchDecodeTask::State::run_layer() {
  const ModelConfig& config = model.config;
  const ModelForm& form = config.form;
  const LayerWeights& weights = model.layers[static_cast<std::size_t>(layer)];

  if (!progress.projected) {
    norm(weights.input_norm, weights.input_norm_bias);
    report_inputs(weights);
    project_heads(weights);
    progress.projected = true;
  }
  KV_TRY(append());
  if (!progress.attended) {
    unscale_queries();
    attend();
    progress.attended = true;
  }
  KV_TRY(call_hooks());
  model.multiply(weights.output, attended.data(), projected.data(), batch());
  if (form.parallel) norm(weights.attention_norm, weights.attention_norm_bias);
  add_outputs(model, residual.data(), projected.data(), Element::fp32, nullptr, weights.extra.attention_output_norm,
              batch());

  if (form.norms.after) norm_residual(weights.input_norm, weights.input_norm_bias);
  if (!form.parallel) norm(weights.attention_norm, weights.attention_norm_bias);
  multiply_up_and_down(weights);
  if (form.norms.after) norm_residual(weights.attention_norm, weights.attention_norm_bias);
  if (layer + 1 == config.layers) model.logits(residual.data(), batch(), logits.data());
  progress = {};
  return {};
}

void BatchDecodeTask::State::multiply_up_and_down(const LayerWeights& weights) {
  if (!weights.extra.experts.empty()) {
    for (std::size_t s = 0, width = count(model.config.hidden); s < sequences.size(); ++s)
      run_experts(model, weights, &normed[s * width], &projected[s * width]);
  } else if (!model.config.form.gated) {
    model.multiply(weights.up, normed.data(), up.data(), batch());
    activate_rows(model, up.data(), up.size(), Element::fp32);
    model.multiply(weights.down, up.data(), projected.data(), batch());
  } else {
    model.multiply(std::array{Product{&weights.gate, gate.data()}, Product{&weights.up, up.data()}}, normed.data(),
                   batch());
    gate_rows(model, gate.data(), up.data(), gate.size(), Element::fp32);
    model.multiply(weights.down, gate.data(), projected.data(), batch());
  }
  add_outputs(model, residual.data(), projected.data(), Element::fp32, nullptr, weights.extra.mlp_output_norm, batch());
}

BatchDecodeTask::BatchDecodeTask(Transformer& model, std::vector<DecodeSequence> sequences)
    : state_(std::make_unique<State>(model, std::move(sequences))) {}
BatchDecodeTask::~BatchDecodeTask() = default;
BatchDecodeTask::BatchDecodeTask(BatchDecodeTask&&) noexcept = default;
BatchDecodeTask& BatchDecodeTask::operator=(BatchDecodeTask&&) noexcept = default;

Status BatchDecodeTask::step() {
  State& s = *state_;
  if (s.finished || s.sequences.empty()) return {};
  Status status = guarded([&]() -> Status {
    if (s.model.device != nullptr && !s.alone) return s.run_on_device(*s.model.device);
    if (!s.begun) KV_TRY(s.begin());
    return s.run_layer();
  });
  if (!status) return status;
  s.finished = ++s.layer == s.model.config.layers;
  return {};
}

Status BatchDecodeTask::run() {
  while (!done()) KV_TRY(step());
  return {};
}

bool BatchDecodeTask::done() const { return state_->finished || state_->sequences.empty(); }
int BatchDecodeTask::next_layer() const { return state_->layer; }
std::size_t BatchDecodeTask::size() const { return state_->sequences.size(); }
void BatchDecodeTask::leave(std::size_t sequence) { state_->left[sequence] = true; }
std::span<const float> BatchDecodeTask::logits(std::size_t sequence) const {
  const std::size_t width = count(state_->model.config.vocab_size);
  return std::span(state_->logits).subspan(sequence * width, width);
}

struct DecodeTask::State {
  BatchDecodeTask batch;
};

DecodeTask::DecodeTask(Transformer& model, KvCache& cache, std::int32_t token, std::int32_t position,
                       DecodeHooks* hooks)
    : state_(std::make_unique<State>(BatchDecodeTask(model, {{&cache, token, position, hooks}}))) {
  state_->batch.state_->alone = true;
}
DecodeTask::~DecodeTask() = default;
DecodeTask::DecodeTask(DecodeTask&&) noexcept = default;
DecodeTask& DecodeTask::operator=(DecodeTask&&) noexcept = default;

Status DecodeTask::step() { return state_->batch.step(); }
Status DecodeTask::run() { return state_->batch.run(); }
bool DecodeTask::done() const { return state_->batch.done(); }
int DecodeTask::next_layer() const { return state_->batch.next_layer(); }
std::span<const float> DecodeTask::logits() const { return state_->batch.logits(0); }

}  // namespace kvantage::inline model
