// gpt-oss: a sink per query head, every other layer with a window, experts in stacks (MXFP4 or plain), YaRN.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_gpt_oss(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_positions(fields, 131072, config));
  if (fields.has("rope_parameters") || fields.has("rope_scaling")) {
    KV_TRY(read_rope(fields, {.theta = 150000}, config));
  } else {
    static const Json published = {{"rope_type", "yarn"}, {"factor", 32.0},
                                   {"beta_fast", 32.0},   {"beta_slow", 1.0},
                                   {"truncate", false},   {"original_max_position_embeddings", 4096}};
    KV_TRY(read_rope_of(fields, published, {.theta = 150000}, config));
  }
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-5, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  KV_TRY(read_flags(fields, {}, config));
  KV_ASSIGN(const auto limit, fields.value_or<double>("swiglu_limit", 7.0));
  if (limit != 7.0) return fields.reject("swiglu_limit other than 7 is not supported; use another checkpoint");
  config.qkv_bias = config.output_bias = config.mlp_bias = true;
  config.form.activation = Activation::clamped_swiglu;
  config.form.sinks = true;
  ExpertForm& experts = config.form.experts;
  KV_ASSIGN(experts.count, fields.size_or("num_local_experts", 128));
  KV_ASSIGN(experts.chosen, fields.size_or("num_experts_per_tok", 4));
  experts.intermediate = config.intermediate;
  KV_TRY(check_experts(fields, experts));
  KV_ASSIGN(const int window, read_window(fields, 128));
  if (fields.has("layer_types")) return read_layer_types(fields, window, config);
  set_windows(window, config);
  for (std::size_t layer = 1; layer < config.form.layers.size(); layer += 2) config.form.layers[layer].window = 0;
  return {};
}

WeightNames names_of_gpt_oss(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".mlp.";
  names.router = name + "router";
  names.router_bias = true;
  const int count = config.form.experts.count, wide = config.form.experts.intermediate;
  if (config.form.file.gguf) {
    names.experts = expert_names(name + "experts.", count, "gate_proj", "up_proj", "down_proj");
    return names;
  }
  names.experts.reserve(static_cast<std::size_t>(count));
  for (int expert = 0; expert < count; ++expert) {
    const auto every_other = [&](int first) {  // gate and up alternate
      return MatrixName{.name = name + "experts.gate_up_proj",
                        .fused = {.of = 2 * wide, .first = first, .run = 1, .stride = 2},
                        .expert = expert,
                        .experts = count};
    };
    names.experts.push_back(
        {.gate = every_other(0),
         .up = every_other(1),
         .down = {.name = name + "experts.down_proj", .fused = {}, .expert = expert, .experts = count}});
  }
  return names;
}

}  // namespace kvantage::inline model_architectures
