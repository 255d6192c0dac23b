#include "gpu/model/device_weights.h"

#include <initializer_list>

#include "core/model/transformer_impl.h"

namespace kvantage::gpu {
namespace {

/// fp32 on the device, or undefined if empty.
at::Tensor vector_of(const std::vector<float>& numbers, at::Device device) {
  if (numbers.empty()) return {};
  const at::Tensor host = at::from_blob(const_cast<float*>(numbers.data()), {static_cast<std::int64_t>(numbers.size())},
                                        at::TensorOptions(at::kFloat));
  return host.to(device, at::kFloat, false, true);
}

DeviceNorm norm_of(const std::vector<float>& weight, const std::vector<float>& bias, at::Device device) {
  return {vector_of(weight, device), vector_of(bias, device)};
}

/// Matrices with the same input, stacked by rows.
DeviceMatrix stacked(std::initializer_list<const Matrix*> parts, at::Device device) {
  std::int64_t rows = 0;
  bool biased = false;
  for (const Matrix* part : parts) {
    rows += part->rows();
    biased = biased || !part->bias_values.empty();
  }
  DeviceMatrix all;
  all.weight = at::empty({rows, (*parts.begin())->columns()}, at::TensorOptions(at::kBFloat16).device(device));
  if (biased) all.bias = at::zeros({rows}, at::TensorOptions(at::kFloat).device(device));
  std::int64_t row = 0;
  for (const Matrix* part : parts) {
    const std::int64_t count = part->rows();
    all.weight.narrow(0, row, count).copy_(part->wide(at::kBFloat16));
    if (!part->bias_values.empty()) all.bias.narrow(0, row, count).copy_(vector_of(part->bias_values, device));
    row += count;
  }
  return all;
}

std::uint64_t bytes_of_tensors(std::initializer_list<const at::Tensor*> tensors) {
  std::uint64_t bytes = 0;
  for (const at::Tensor* tensor : tensors)
    if (tensor->defined()) bytes += static_cast<std::uint64_t>(tensor->nbytes());
  return bytes;
}

}  // namespace

std::uint64_t DeviceWeights::bytes() const {
  std::uint64_t sum = bytes_of_tensors({&embeddings, &positions, &frequencies, &final_norm.weight, &final_norm.bias});
  if (!config.tied_embeddings) sum += bytes_of_tensors({&head});
  for (const DeviceLayer& layer : layers)
    sum += bytes_of_tensors({&layer.input_norm.weight, &layer.input_norm.bias, &layer.attention_norm.weight,
                             &layer.attention_norm.bias, &layer.query_norm, &layer.key_norm, &layer.heads.weight,
                             &layer.heads.bias, &layer.output.weight, &layer.output.bias, &layer.up.weight,
                             &layer.up.bias, &layer.down.weight, &layer.down.bias});
  return sum;
}

Status check_shape(const ModelConfig& config) {
  if (const std::string extensions = config.extensions(); !extensions.empty())
    return fail(ErrorCode::rejected_input, std::string("model on a device: ") + to_string(config.architecture) +
                                               " has " + extensions + ", which only the CPU computes; use the CPU");
  if (config.head_dim < 8 || config.head_dim > 256 || config.head_dim % 8 != 0)
    return fail(ErrorCode::rejected_input, "model on a device: head_dim " + std::to_string(config.head_dim) +
                                               " is not a multiple of 8 up to 256; use the CPU");
  if (config.hidden % 4 != 0 || config.intermediate % 4 != 0)
    return fail(ErrorCode::rejected_input,
                "model on a device: a hidden or intermediate size that is not a multiple of 4; use the CPU");
  return {};
}

Expected<DeviceWeights> copy_weights(const Transformer& model, at::Device device) {
  const Transformer::Impl& source = model.impl();
  KV_TRY(check_shape(source.config));
  DeviceWeights made;
  made.config = source.config;
  made.device = device;
  const auto table = [&](const Matrix& matrix) {
    return matrix.wide(at::kBFloat16).to(device, at::kBFloat16, false, true);
  };
  made.embeddings = table(source.embeddings);
  made.head = source.config.tied_embeddings ? made.embeddings : table(source.head);
  if (source.config.learned_positions())
    made.positions = table(source.positions);
  else
    made.frequencies = vector_of(source.rotations.frequencies, device);
  made.final_norm = norm_of(source.final_norm, source.final_norm_bias, device);
  for (const LayerWeights& layer : source.layers) {
    DeviceLayer& there = made.layers.emplace_back();
    there.input_norm = norm_of(layer.input_norm, layer.input_norm_bias, device);
    there.attention_norm = norm_of(layer.attention_norm, layer.attention_norm_bias, device);
    there.query_norm = vector_of(layer.query_norm, device);
    there.key_norm = vector_of(layer.key_norm, device);
    there.heads = stacked({&layer.query, &layer.key, &layer.value}, device);
    there.output = stacked({&layer.output}, device);
    there.up = layer.gate.is_there() ? stacked({&layer.gate, &layer.up}, device) : stacked({&layer.up}, device);
    there.down = stacked({&layer.down}, device);
  }
  return made;
}

}  // namespace kvantage::gpu
