#include "core/model/recompute.h"

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

struct KvRecompute::State {
  Transformer& model;
  int most;
  at::Tensor projected;  // [most, kv_heads * head_dim] in the compute type
  RopeTables ropes;
  std::int32_t rope_first = -1;  // start of `ropes`, with `rope_tokens`: consecutive layers use the same positions
  int rope_tokens = 0;
  std::vector<std::byte> keys, values;
  std::size_t bytes = 0;
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

Status KvRecompute::run(int layer, std::span<const std::byte> inputs, std::int32_t first_position, int tokens) {
  State& s = *state_;
  const Transformer::Impl& model = s.model.impl();
  const ModelConfig& config = model.config;
  if (tokens < 1 || tokens > s.most || inputs.size() != static_cast<std::size_t>(tokens) * layer_input_bytes(s.model) ||
      layer < 0 || layer >= config.layers)
    return fail(ErrorCode::internal, "recomputation: layer inputs do not have the expected size");
  return guarded([&]() -> Status {
    const LayerWeights& weights = model.layers[static_cast<std::size_t>(layer)];
    const at::Tensor source = at::from_blob(const_cast<std::byte*>(inputs.data()), {tokens, config.hidden},
                                            at::TensorOptions(model.scalar()));
    const at::Tensor target = s.projected.narrow(0, 0, tokens);
    if (s.rope_first != first_position || s.rope_tokens != tokens)
      model.rotations.fill(first_position, tokens, s.ropes);
    s.rope_first = first_position;
    s.rope_tokens = tokens;
    HeadPass job;
    job.input = target.const_data_ptr();
    job.input_type = model.element();
    job.output_type = model.kv_element();
    job.tokens = tokens;
    job.heads = config.kv_heads;
    job.head_dim = config.head_dim;
    job.eps = config.rms_eps;
    project(model, weights.key, source, target, false);  // the head pass adds biases in fp32, as in a prefill
    job.output = s.keys.data();
    if (!weights.key_norm.empty() && config.form.norms.whole_heads) {
      norm_whole_rows(model, target.data_ptr(), model.element(), weights.key.bias_or_null(), weights.key_norm, tokens);
    } else {
      job.bias = weights.key.bias_or_null();
      job.norm = weights.key_norm.empty() ? nullptr : weights.key_norm.data();
    }
    if (const RopeTable* const table = table_of(s.ropes, config.layer_form(layer)); table != nullptr) {
      job.cosines = table->cosines.data();
      job.sines = table->sines.data();
    }
    run_heads(model.kernel(), job);
    project(model, weights.value, source, target, false);
    job.output = s.values.data();
    job.bias = weights.value.bias_or_null();
    job.norm = nullptr;
    job.cosines = job.sines = nullptr;
    run_heads(model.kernel(), job);
    s.bytes = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(config.kv_heads * config.head_dim) *
              bytes_of(model.kv_type);
    return {};
  });
}

std::span<const std::byte> KvRecompute::keys() const { return std::span(state_->keys).first(state_->bytes); }
std::span<const std::byte> KvRecompute::values() const { return std::span(state_->values).first(state_->bytes); }

}  // namespace kvantage::inline model
