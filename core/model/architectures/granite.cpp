// Granite (dense): Llama with four multipliers.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_granite(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_positions(fields, 2048, config));
  KV_TRY(read_rope(fields, {}, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-6, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  KV_TRY(read_flags(fields, {.attention_bias = true, .mlp_bias = true}, config));
  ScaleForm& scales = config.form.scales;
  KV_ASSIGN(scales.embedding, fields.positive_or("embedding_multiplier", 1));
  KV_ASSIGN(scales.attention, fields.positive_or("attention_multiplier", 1));
  KV_ASSIGN(scales.residual, fields.positive_or("residual_multiplier", 1));
  KV_ASSIGN(scales.logits, fields.positive_or("logits_scaling", 1));
  return {};
}

WeightNames names_of_granite(const ModelConfig& config, int layer) { return llama_names(config, layer); }

}  // namespace kvantage::inline model_architectures
