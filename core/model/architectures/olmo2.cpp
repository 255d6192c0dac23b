// OLMo 2: no norms of inputs but of outputs, and norms of q and k over all heads together.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_olmo2(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_positions(fields, 2048, config));
  KV_TRY(read_rope(fields, {}, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-5, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  KV_TRY(read_flags(fields, {.attention_bias = true}, config));
  config.qk_norm = true;
  config.form.norms.inputs = false;
  config.form.norms.outputs = true;
  config.form.norms.whole_heads = true;
  return {};
}

WeightNames names_of_olmo2(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".";
  names.norms.input.clear();
  names.norms.attention.clear();
  names.norms.attention_output = name + "post_attention_layernorm";
  names.norms.mlp_output = name + "post_feedforward_layernorm";
  return names;
}

}  // namespace kvantage::inline model_architectures
