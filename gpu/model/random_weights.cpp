#include <cmath>
#include <optional>

#include "core/model/config.h"
#include "gpu/model/device_weights.h"

namespace kvantage::gpu {
namespace {

/// Creates tensors on one device; they are never in host memory.
struct Maker {
  at::TensorOptions bf16, fp32;
  std::optional<at::Generator> generator;

  at::Tensor spread(std::int64_t rows, std::int64_t columns, double half_width) const {
    return at::empty({rows, columns}, bf16).uniform_(-half_width, half_width, generator);
  }
  DeviceMatrix matrix(std::int64_t out, std::int64_t in, bool bias) const {
    return {spread(out, in, 1.8 / std::sqrt(static_cast<double>(in))), bias ? at::zeros({out}, fp32) : at::Tensor()};
  }
  DeviceNorm norm(const ModelConfig& config) const {
    return {at::ones({config.hidden}, fp32), config.layer_norm ? at::zeros({config.hidden}, fp32) : at::Tensor()};
  }
};

}  // namespace

Expected<DeviceWeights> random_weights(const ModelConfig& config, at::Device device, std::uint64_t seed) {
  KV_TRY(check_shape(config));
  at::Generator generator =
      at::globalContext().defaultGenerator(device).clone();  // leaves the program's own generator unchanged
  generator.set_current_seed(seed);
  const Maker make{at::TensorOptions(at::kBFloat16).device(device), at::TensorOptions(at::kFloat).device(device),
                   generator};
  const std::int64_t queries = std::int64_t{config.heads} * config.head_dim,
                     keys = std::int64_t{config.kv_heads} * config.head_dim;
  DeviceWeights made;
  made.config = config;
  made.device = device;
  made.embeddings = make.spread(config.vocab_size, config.hidden, 0.5);
  made.head = config.tied_embeddings ? made.embeddings : make.spread(config.vocab_size, config.hidden, 0.5);
  if (config.learned_positions()) {
    made.positions = make.spread(config.max_positions + ModelConfig::position_offset, config.hidden, 1.0);
  } else {
    std::vector<float> frequencies = rope_frequencies(config);
    made.frequencies = at::from_blob(frequencies.data(), {static_cast<std::int64_t>(frequencies.size())},
                                     at::TensorOptions(at::kFloat))
                           .to(device, at::kFloat, false, true);
  }
  if (!config.form.norms.after) made.final_norm = make.norm(config);
  for (int layer = 0; layer < config.layers; ++layer) {
    DeviceLayer& there = made.layers.emplace_back();
    there.input_norm = make.norm(config);
    there.attention_norm = make.norm(config);
    if (config.qk_norm) {
      there.query_norm = at::ones({config.head_dim}, make.fp32);
      there.key_norm = at::ones({config.head_dim}, make.fp32);
    }
    there.heads = make.matrix(queries + 2 * keys, config.hidden, config.qkv_bias);
    there.output = make.matrix(config.hidden, queries, config.output_bias);
    there.up =
        make.matrix(std::int64_t{config.layer_norm ? 1 : 2} * config.intermediate, config.hidden, config.mlp_bias);
    there.down = make.matrix(config.hidden, config.intermediate, config.mlp_bias);
  }
  return made;
}

}  // namespace kvantage::gpu
