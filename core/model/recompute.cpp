#include "core/model/recompute.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/model/layer_math.h"
#include "core/model/projection.h"

namespace kvantage::inline model {

CaptureLayerInputs::CaptureLayerInputs(Transformer& model, LayerInputSink& sink) : model_(model) {
  model.impl().input_sink = &sink;
}
CaptureLayerInputs::~CaptureLayerInputs() { model_.impl().input_sink = nullptr; }

std::size_t layer_input_bytes(const Transformer& model) {
  return static_cast<std::size_t>(model.config().hidden) * (model.compute() == ComputeType::bf16 ? 2 : 4);
}

bool reports_decoded_inputs(const Transformer& model) {
  return std::ranges::all_of(model.impl().layers,
                             [&](const LayerWeights& layer) { return model.impl().rounds_decoded_inputs(layer); });
}

struct KvRecompute::State {
  template <class Body>
  Status on_layer(int layer, std::span<const std::byte> inputs, int tokens, const Body& body);
  void widen(std::span<const std::byte> inputs);
  HeadPass head_pass(int tokens) const;
  void rotate(int layer, std::int32_t first_position, HeadPass& job);

  Transformer& model;
  int most;
  at::Tensor projected;  // [most, kv_heads * head_dim] in the compute type
  RopeTables ropes;
  std::int32_t rope_first = -1;  // start of `ropes`, with `rope_tokens`: consecutive layers use the same positions
  int rope_tokens = 0;
  std::vector<std::byte> keys, values;
  std::size_t bytes = 0;
  std::vector<float> wide = {}, products = {};  // of decoded tokens: [tokens, hidden]; [tokens, kv_heads * head_dim]
};

KvRecompute::KvRecompute(Transformer& model, int max_tokens)
    : state_(new State{.model = model, .most = max_tokens, .projected = {}, .ropes = {}, .keys = {}, .values = {}}) {
  const ModelConfig& config = model.config();
  const int width = config.kv_heads * config.head_dim;
  state_->projected = at::empty({max_tokens, width}, at::TensorOptions(model.impl().scalar()));
  state_->keys.resize(static_cast<std::size_t>(max_tokens) * static_cast<std::size_t>(width) *
                      bytes_of(model.kv_shape().type));
  state_->values.resize(state_->keys.size());
}
KvRecompute::~KvRecompute() = default;

/// body(weights) fills `keys` and `values`.
template <class Body>
Status KvRecompute::State::on_layer(int layer, std::span<const std::byte> inputs, int tokens, const Body& body) {
  const ModelConfig& config = model.config();
  if (tokens < 1 || tokens > most || inputs.size() != static_cast<std::size_t>(tokens) * layer_input_bytes(model) ||
      layer < 0 || layer >= config.layers)
    return fail(ErrorCode::internal, "recomputation: layer inputs do not have the expected size");
  return guarded([&]() -> Status {
    body(model.impl().layers[static_cast<std::size_t>(layer)]);
    bytes = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(config.kv_heads * config.head_dim) *
            bytes_of(model.kv_shape().type);
    return {};
  });
}

void KvRecompute::State::widen(std::span<const std::byte> inputs) {
  if (model.compute() == ComputeType::fp32) {
    wide.resize(inputs.size() / sizeof(float));
    std::memcpy(wide.data(), inputs.data(), inputs.size());
    return;
  }
  const std::span numbers(reinterpret_cast<const Bf16*>(inputs.data()), inputs.size() / sizeof(Bf16));
  wide.resize(numbers.size());
  std::ranges::transform(numbers, wide.begin(), [](Bf16 number) { return to_float(number); });
}

HeadPass KvRecompute::State::head_pass(int tokens) const {
  const ModelConfig& config = model.config();
  HeadPass job;
  job.output_type = model.impl().kv_element();
  job.tokens = tokens;
  job.heads = config.kv_heads;
  job.head_dim = config.head_dim;
  job.eps = config.rms_eps;
  return job;
}

void KvRecompute::State::rotate(int layer, std::int32_t first_position, HeadPass& job) {
  if (rope_first != first_position || rope_tokens != job.tokens)
    model.impl().rotations.fill(first_position, job.tokens, ropes);
  rope_first = first_position;
  rope_tokens = job.tokens;
  if (const RopeTable* const table = table_of(ropes, model.config().layer_form(layer)); table != nullptr) {
    job.cosines = table->cosines.data();
    job.sines = table->sines.data();
  }
}

Status KvRecompute::run(int layer, std::span<const std::byte> inputs, std::int32_t first_position, int tokens) {
  State& s = *state_;
  const Transformer::Impl& model = s.model.impl();
  return s.on_layer(layer, inputs, tokens, [&](const LayerWeights& weights) {
    const at::Tensor source = at::from_blob(const_cast<std::byte*>(inputs.data()), {tokens, model.config.hidden},
                                            at::TensorOptions(model.scalar()));
    const at::Tensor target = s.projected.narrow(0, 0, tokens);
    HeadPass job = s.head_pass(tokens);
    job.input = target.const_data_ptr();
    job.input_type = model.element();
    project(model, weights.key, source, target, false);  // the head pass adds biases in fp32, as in a prefill
    job.output = s.keys.data();
    if (!weights.key_norm.empty() && model.config.form.norms.whole_heads) {
      norm_whole_rows(model, target.data_ptr(), model.element(), weights.key.bias_or_null(), weights.key_norm, tokens);
    } else {
      job.bias = weights.key.bias_or_null();
      job.norm = weights.key_norm.empty() ? nullptr : weights.key_norm.data();
    }
    s.rotate(layer, first_position, job);
    run_heads(model.kernel(), job);
    project(model, weights.value, source, target, false);
    job.output = s.values.data();
    job.bias = weights.value.bias_or_null();
    job.norm = nullptr;
    job.cosines = job.sines = nullptr;
    run_heads(model.kernel(), job);
  });
}

// As in BatchDecodeTask, whose products give a row the same bits in any batch: they are fp32 and include the bias.
Status KvRecompute::run_decoded(int layer, std::span<const std::byte> inputs, std::int32_t first_position, int tokens) {
  State& s = *state_;
  const Transformer::Impl& model = s.model.impl();
  return s.on_layer(layer, inputs, tokens, [&](const LayerWeights& weights) {
    s.widen(inputs);
    const std::size_t numbers =
        static_cast<std::size_t>(tokens) * static_cast<std::size_t>(model.config.kv_heads * model.config.head_dim);
    s.products.resize(2 * numbers);
    float* const keys = s.products.data();
    float* const values = keys + numbers;
    model.multiply(std::array{Product{&weights.key, keys}, Product{&weights.value, values}}, s.wide.data(), tokens);
    HeadPass job = s.head_pass(tokens);
    job.input = values;
    job.output = s.values.data();
    run_heads(model.kernel(), job);
    const bool whole = !weights.key_norm.empty() && model.config.form.norms.whole_heads;
    if (whole) norm_whole_rows(model, keys, Element::fp32, nullptr, weights.key_norm, tokens);
    job.input = keys;
    job.output = s.keys.data();
    job.norm = weights.key_norm.empty() || whole ? nullptr : weights.key_norm.data();
    s.rotate(layer, first_position, job);
    run_heads(model.kernel(), job);
  });
}

std::span<const std::byte> KvRecompute::keys() const { return std::span(state_->keys).first(state_->bytes); }
std::span<const std::byte> KvRecompute::values() const { return std::span(state_->values).first(state_->bytes); }

}  // namespace kvantage::inline model
