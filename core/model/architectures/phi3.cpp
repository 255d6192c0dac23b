// Phi-3 and Phi-4: q, k and v in one tensor, gate and up in another, longrope, partly rotated heads (Phi-4-mini).
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_phi3(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_positions(fields, 4096, config));
  KV_TRY(read_rope(fields, {.partly = true, .yarn_is_longrope = true, .original_positions = 4096}, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-5, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  KV_TRY(read_flags(fields, {}, config));
  KV_ASSIGN(const int window, read_window(fields, 0));
  set_windows(window, config);
  return {};
}

WeightNames names_of_phi3(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".";
  const int q = config.heads * config.head_dim, kv = config.kv_heads * config.head_dim, all = q + 2 * kv,
            wide = config.intermediate;
  const auto part = [&](const char* of, int first, int rows) {
    return MatrixName{.name = name + of, .fused = {.of = rows, .first = first}};
  };
  names.attention.query = part("self_attn.qkv_proj", 0, all);
  names.attention.key = part("self_attn.qkv_proj", q, all);
  names.attention.value = part("self_attn.qkv_proj", q + kv, all);
  names.mlp.gate = part("mlp.gate_up_proj", 0, 2 * wide);
  names.mlp.up = part("mlp.gate_up_proj", wide, 2 * wide);
  return names;
}

}  // namespace kvantage::inline model_architectures
