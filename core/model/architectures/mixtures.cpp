// Mixtures of experts whose attention is Llama's: Qwen3-MoE and Mixtral.
#include <algorithm>

#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {
namespace {

Status read_shared(const ConfigFields& fields, int positions, double theta, double eps, ModelConfig& config) {
  KV_TRY(read_positions(fields, positions, config));
  KV_TRY(read_rope(fields, {.theta = theta}, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", eps, config));
  return check_activation(fields, "hidden_act", "silu", {"silu", "swish"});
}

}  // namespace

std::vector<MlpNames> expert_names(const std::string& prefix, int count, const char* gate, const char* up,
                                   const char* down) {
  std::vector<MlpNames> experts;
  experts.reserve(static_cast<std::size_t>(count));
  for (int expert = 0; expert < count; ++expert) {
    const std::string name = prefix + std::to_string(expert) + ".";
    experts.push_back({.gate = {.name = name + gate, .fused = {}},
                       .up = {.name = name + up, .fused = {}},
                       .down = {.name = name + down, .fused = {}}});
  }
  return experts;
}

Status read_qwen3_moe(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_shared(fields, 32768, 10000, 1e-6, config));
  KV_TRY(read_flags(fields, {.attention_bias = true}, config));
  config.qk_norm = true;
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.count, fields.size_or("num_experts", 128));
  KV_ASSIGN(experts.chosen, fields.size_or("num_experts_per_tok", 8));
  KV_ASSIGN(experts.intermediate, fields.size_or("moe_intermediate_size", 768));
  KV_ASSIGN(experts.normalized, fields.value_or<bool>("norm_topk_prob", false));
  KV_TRY(check_experts(fields, experts));
  KV_ASSIGN(const int step, fields.size_or("decoder_sparse_step", 1));
  KV_ASSIGN(const auto dense, fields.value_or<std::vector<std::int64_t>>("mlp_only_layers", {}));
  KV_ASSIGN(const auto use_window, fields.value_or<bool>("use_sliding_window", false));
  if (use_window) {
    KV_ASSIGN(const int window, read_window(fields, 4096));
    set_windows(window, config);
  }
  for (int layer = 0; layer < config.layers; ++layer) {
    const bool has_experts = (layer + 1) % step == 0 && std::ranges::find(dense, layer) == dense.end();
    if (has_experts) continue;
    config.form.layers.resize(static_cast<std::size_t>(config.layers));
    config.form.layers[static_cast<std::size_t>(layer)].dense = true;
  }
  return {};
}

Status read_mixtral(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_shared(fields, 131072, 1e6, 1e-5, config));
  KV_TRY(read_flags(fields, {}, config));
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.count, fields.size_or("num_local_experts", 8));
  KV_ASSIGN(experts.chosen, fields.size_or("num_experts_per_tok", 2));
  experts.intermediate = config.intermediate;
  KV_TRY(check_experts(fields, experts));
  KV_ASSIGN(const int window, read_window(fields, 0));
  set_windows(window, config);
  return {};
}

WeightNames names_of_qwen3_moe(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".mlp.";
  names.router = name + "gate";
  names.experts = expert_names(name + "experts.", config.form.experts.count, "gate_proj", "up_proj", "down_proj");
  return names;
}

WeightNames names_of_mixtral(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".block_sparse_moe.";
  names.router = name + "gate";
  names.experts = expert_names(name + "experts.", config.form.experts.count, "w1", "w3", "w2");
  return names;
}

}  // namespace kvantage::inline model_architectures
