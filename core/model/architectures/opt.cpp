// OPT: learned positions, LayerNorm before or after each part, an MLP without a gate, as many KV heads as query heads.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_opt(const ConfigFields& fields, ModelConfig& config) {
  KV_ASSIGN(const auto width, fields.size_or("word_embed_proj_dim", config.hidden));
  if (width != config.hidden)
    return fields.reject("word_embed_proj_dim " + std::to_string(width) + " other than hidden_size " +
                         std::to_string(config.hidden) +
                         " needs projections that are not supported; use another checkpoint");
  if (config.hidden % config.heads != 0)
    return fields.reject("hidden_size is not a multiple of num_attention_heads; correct the values");
  KV_ASSIGN(const auto activation, fields.value_or<std::string>("activation_function", "relu"));
  if (activation != "relu")
    return fields.reject("activation '" + printable(activation) +
                         "' is not supported here; use an OPT checkpoint with relu");
  KV_TRY(read_positions(fields, 2048, config));
  const auto before = fields.value_or<bool>("do_layer_norm_before", true);
  const auto bias = fields.value_or<bool>("enable_bias", true);
  const auto affine = fields.value_or<bool>("layer_norm_elementwise_affine", true);
  const auto no_final = fields.value_or<bool>("_remove_final_layer_norm", false);
  const auto tied = fields.value_or<bool>("tie_word_embeddings", true);
  for (const auto* flag : {&before, &bias, &affine, &no_final, &tied}) KV_TRY(*flag);
  if (!*affine || (*before && *no_final))
    return fields.reject(
        "norms without weights (layer_norm_elementwise_affine, _remove_final_layer_norm) are not supported; "
        "use another checkpoint");
  config.rope.theta = 1.0;
  config.rope.kind = RopeKind::none;
  config.rms_eps = 1e-5F;  // torch's LayerNorm; not in config.json
  config.layer_norm = true;
  config.form.norms.after = !*before;
  config.form.norms.inputs = *before;
  config.form.gated = false;
  config.form.activation = Activation::relu;
  config.qkv_bias = config.output_bias = config.mlp_bias = *bias;
  config.tied_embeddings = *tied;
  return {};
}

WeightNames names_of_opt(const ModelConfig& config, int layer) {
  const std::string name = "model.decoder.layers." + std::to_string(layer) + ".";
  const auto matrix = [&](const char* of) { return MatrixName{.name = name + of, .fused = {}}; };
  WeightNames names;
  names.model.embeddings = "model.decoder.embed_tokens";
  names.model.positions = "model.decoder.embed_positions";
  names.model.final_norm = config.form.norms.after ? "" : "model.decoder.final_layer_norm";
  names.norms.input = name + "self_attn_layer_norm";
  names.norms.attention = name + "final_layer_norm";
  names.attention.query = matrix("self_attn.q_proj");
  names.attention.key = matrix("self_attn.k_proj");
  names.attention.value = matrix("self_attn.v_proj");
  names.attention.output = matrix("self_attn.out_proj");
  names.mlp.up = matrix("fc1");
  names.mlp.down = matrix("fc2");
  return names;
}

}  // namespace kvantage::inline model_architectures
