// GPT-NeoX and Pythia: LayerNorm, attention and MLP beside each other, q, k and v of a head in one tensor, partly
// rotated heads, an MLP without a gate.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_gpt_neox(const ConfigFields& fields, ModelConfig& config) {
  if (config.hidden % config.heads != 0)
    return fields.reject("hidden_size is not a multiple of num_attention_heads; correct the values");
  KV_TRY(read_positions(fields, 2048, config));
  // The older name of rope_parameters' partial_rotary_factor.
  KV_ASSIGN(const auto part, fields.value_or<double>("rotary_pct", 0.25));
  KV_TRY(read_rope(fields, {.partial = part, .partly = true, .theta_key = "rotary_emb_base"}, config));
  KV_TRY(read_norm_eps(fields, "layer_norm_eps", 1e-5, config));
  KV_TRY(check_activation(fields, "hidden_act", "gelu",
                          {"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "relu", "silu"}));
  KV_ASSIGN(const auto activation, fields.value_or<std::string>("hidden_act", "gelu"));
  config.form.activation = activation == "gelu"   ? Activation::gelu
                           : activation == "relu" ? Activation::relu
                           : activation == "silu" ? Activation::silu
                                                  : Activation::gelu_tanh;
  const auto parallel = fields.value_or<bool>("use_parallel_residual", true),
             bias = fields.value_or<bool>("attention_bias", true),
             tied = fields.value_or<bool>("tie_word_embeddings", false);
  for (const auto* flag : {&parallel, &bias, &tied}) KV_TRY(*flag);
  config.layer_norm = true;
  config.form.gated = false;
  config.form.parallel = *parallel;
  config.qkv_bias = config.output_bias = *bias;
  config.mlp_bias = true;
  config.tied_embeddings = *tied;
  return {};
}

WeightNames names_of_gpt_neox(const ModelConfig& config, int layer) {
  const std::string name = "gpt_neox.layers." + std::to_string(layer) + ".";
  const int d = config.head_dim, all = 3 * config.hidden;
  const auto of_head = [&](int part) {
    const FusedRows by_head{.of = all, .first = part * d, .run = d, .stride = 3 * d},
        by_part{.of = all, .first = part * config.hidden};
    return MatrixName{.name = name + "attention.query_key_value", .fused = config.form.file.gguf ? by_part : by_head};
  };
  WeightNames names;
  names.model.embeddings = "gpt_neox.embed_in";
  names.model.final_norm = "gpt_neox.final_layer_norm";
  names.model.head = "embed_out";
  names.norms.input = name + "input_layernorm";
  names.norms.attention = name + "post_attention_layernorm";
  names.attention.query = of_head(0);
  names.attention.key = of_head(1);
  names.attention.value = of_head(2);
  names.attention.output = {.name = name + "attention.dense", .fused = {}};
  names.mlp.up = {.name = name + "mlp.dense_h_to_4h", .fused = {}};
  names.mlp.down = {.name = name + "mlp.dense_4h_to_h", .fused = {}};
  return names;
}

}  // namespace kvantage::inline model_architectures
