// Llama and what differs from it in biases, norms of q and k, and windows only.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {
namespace {

Status read_llama_like(const ConfigFields& fields, int positions, const FlagKeys& flags, ModelConfig& config) {
  KV_TRY(read_positions(fields, positions, config));
  KV_TRY(read_rope(fields, {}, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-6, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  return read_flags(fields, flags, config);
}

/// Layers from max_window_layers on have the window, or those that layer_types names.
Status read_qwen_windows(const ConfigFields& fields, ModelConfig& config) {
  KV_ASSIGN(const auto use_window, fields.value_or<bool>("use_sliding_window", false));
  if (!use_window) return {};
  KV_ASSIGN(const int window, read_window(fields, 4096));
  if (fields.has("layer_types")) return read_layer_types(fields, window, config);
  KV_ASSIGN(const auto first, fields.value_or<int>("max_window_layers", 28));
  set_windows(window, config);
  for (std::size_t layer = 0; layer < config.form.layers.size(); ++layer)
    if (static_cast<int>(layer) < first) config.form.layers[layer].window = 0;
  return {};
}

}  // namespace

Status read_llama(const ConfigFields& fields, ModelConfig& config) {
  return read_llama_like(fields, 32768, {.attention_bias = true, .mlp_bias = true}, config);
}

// Where config.json does not name the window, it is 4,096, as in transformers' MistralConfig; null stands for none.
Status read_mistral(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_llama_like(fields, 131072, {}, config));
  KV_ASSIGN(const int window, read_window(fields, 4096));
  set_windows(window, config);
  return {};
}

// Always biases on q, k, v and never on o.
Status read_qwen2(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_llama_like(fields, 32768, {}, config));
  config.qkv_bias = true;
  return read_qwen_windows(fields, config);
}

Status read_qwen3(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_llama_like(fields, 32768, {.attention_bias = true}, config));
  config.qk_norm = true;
  return read_qwen_windows(fields, config);
}

WeightNames llama_names(const ModelConfig& /*config*/, int layer) {
  const std::string name = "model.layers." + std::to_string(layer) + ".";
  const auto matrix = [&](const char* of) { return MatrixName{.name = name + of, .fused = {}}; };
  WeightNames names;
  names.norms = {.input = name + "input_layernorm",
                 .attention = name + "post_attention_layernorm",
                 .attention_output = {},
                 .mlp_output = {},
                 .query = name + "self_attn.q_norm",
                 .key = name + "self_attn.k_norm"};
  names.attention = {.query = matrix("self_attn.q_proj"),
                     .key = matrix("self_attn.k_proj"),
                     .value = matrix("self_attn.v_proj"),
                     .output = matrix("self_attn.o_proj"),
                     .sinks = name + "self_attn.sinks"};
  names.mlp = {.gate = matrix("mlp.gate_proj"), .up = matrix("mlp.up_proj"), .down = matrix("mlp.down_proj")};
  return names;
}

WeightNames names_of_llama(const ModelConfig& config, int layer) { return llama_names(config, layer); }
WeightNames names_of_mistral(const ModelConfig& config, int layer) { return llama_names(config, layer); }
WeightNames names_of_qwen2(const ModelConfig& config, int layer) { return llama_names(config, layer); }
WeightNames names_of_qwen3(const ModelConfig& config, int layer) { return llama_names(config, layer); }

}  // namespace kvantage::inline model_architectures
