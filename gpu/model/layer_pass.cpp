#include "gpu/model/layer_pass.h"

#include "gpu/kernels/layer_kernels.h"

namespace kvantage::gpu {
namespace {

template <class T>
const T* numbers_of(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<const T*>(tensor.const_data_ptr()) : nullptr;
}
std::uint16_t* bits_of(const at::Tensor& tensor) { return static_cast<std::uint16_t*>(tensor.mutable_data_ptr()); }

at::Tensor rows_like(const at::Tensor& like, std::int64_t columns) {
  return at::empty({like.size(0), columns}, like.options().dtype(at::kBFloat16));
}

}  // namespace

at::Tensor product(const at::Tensor& input, const at::Tensor& weight, bool wide) {
  if (!wide) return at::mm(input, weight.t());
  if (input.is_cuda()) return at::mm(input, weight.t(), at::kFloat);
  return at::mm(input.to(at::kFloat),
                weight.to(at::kFloat).t());  // the CPU has no such product: the same numbers, widened
}

Status LayerPass::begin(const at::Tensor& tokens, const at::Tensor& positions, int each) {
  const ModelConfig& config = weights_.config;
  each_ = each;
  positions_ = positions;
  residual_ = weights_.embeddings.index_select(0, tokens).to(at::kFloat);
  if (config.learned_positions())
    residual_.add_(weights_.positions.index_select(0, positions + ModelConfig::position_offset));
  normed_ = rows_like(residual_, config.hidden);
  return add_and_norm({}, nullptr, config.form.norms.after ? nullptr : &weights_.layers.front().input_norm, false);
}

Status LayerPass::add_and_norm(const at::Tensor& added, const DeviceMatrix* matrix, const DeviceNorm* norm,
                               bool in_place) {
  NormJob job;
  job.rows = rows();
  job.width = weights_.config.hidden;
  job.residual = residual_.mutable_data_ptr<float>();
  job.product = {numbers_of<void>(added), wide_};
  if (matrix != nullptr) job.bias = numbers_of<float>(matrix->bias);
  if (norm != nullptr) {
    job.weight = numbers_of<float>(norm->weight);
    job.shift = numbers_of<float>(norm->bias);
  }
  job.layer_norm = weights_.config.layer_norm;
  job.in_place = in_place;
  job.eps = weights_.config.rms_eps;
  job.normed = bits_of(normed_);
  return launch_add_and_norm(job, stream_);
}

Expected<at::Tensor> LayerPass::write_heads(int layer) {
  const ModelConfig& config = weights_.config;
  const DeviceLayer& there = weights_.layers[static_cast<std::size_t>(layer)];
  const at::Tensor projected = product(normed_, there.heads.weight, wide_);
  at::Tensor queries = rows_like(residual_, std::int64_t{config.heads} * config.head_dim);
  HeadsJob job;
  job.rows = rows();
  job.each = each_;
  job.heads = config.heads;
  job.kv_heads = config.kv_heads;
  job.head_dim = config.head_dim;
  job.product = {numbers_of<void>(projected), wide_};
  job.bias = numbers_of<float>(there.heads.bias);
  job.query_norm = numbers_of<float>(there.query_norm);
  job.key_norm = numbers_of<float>(there.key_norm);
  job.eps = config.rms_eps;
  job.frequencies = numbers_of<float>(weights_.frequencies);
  job.positions = positions_.const_data_ptr<std::int32_t>();
  job.queries = bits_of(queries);
  job.cache = tables_.layer(layer);
  KV_TRY(launch_write_heads(job, stream_));
  return queries;
}

void LayerPass::keep_last(int count) {
  residual_ = residual_.narrow(0, rows() - count, count);
  normed_ = rows_like(residual_, weights_.config.hidden);
}

Status LayerPass::finish(int layer, const at::Tensor& attended) {
  const ModelConfig& config = weights_.config;
  const DeviceLayer& there = weights_.layers[static_cast<std::size_t>(layer)];
  const bool after = config.form.norms.after;
  KV_TRY(add_and_norm(product(attended, there.output.weight, wide_), &there.output,
                      after ? &there.input_norm : &there.attention_norm, after));
  const at::Tensor up = product(normed_, there.up.weight, wide_);
  const at::Tensor active = rows_like(residual_, config.intermediate);
  ActivationJob job;
  job.rows = rows();
  job.width = config.intermediate;
  job.gated = !config.layer_norm;
  job.product = {numbers_of<void>(up), wide_};
  job.bias = numbers_of<float>(there.up.bias);
  job.out = bits_of(active);
  KV_TRY(launch_activation(job, stream_));
  const bool top = layer + 1 == config.layers;
  const DeviceNorm& next = after ? there.attention_norm
                           : top ? weights_.final_norm
                                 : weights_.layers[static_cast<std::size_t>(layer) + 1].input_norm;
  return add_and_norm(product(active, there.down.weight, wide_), &there.down, &next, after);
}

at::Tensor LayerPass::logits() const { return product(normed_, weights_.head, true); }

}  // namespace kvantage::gpu
