// Gemma 1 to 3 (their text models): norms times 1 + weight, scaled embeddings, soft caps, norms of outputs, windows.
#include <cmath>

#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {
namespace {

Status read_gemma_like(const ConfigFields& fields, const char* activation_key, int positions, ModelConfig& config) {
  KV_TRY(check_causal(fields));
  KV_TRY(read_positions(fields, positions, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-6, config));
  KV_TRY(check_activation(fields, activation_key, "gelu_pytorch_tanh", {"gelu_pytorch_tanh", "gelu_new", "gelu"}));
  KV_TRY(read_flags(fields, {.attention_bias = true, .tied = true}, config));
  KV_ASSIGN(const auto activation, fields.value_or<std::string>(activation_key, "gelu_pytorch_tanh"));
  config.form.activation = activation == "gelu" ? Activation::gelu : Activation::gelu_tanh;
  config.form.norms.unit_offset = true;
  config.form.scales.embedding = std::sqrt(static_cast<double>(config.hidden));
  return {};
}

/// What Gemma 2 and 3 have: caps, the divisor of scores, norms of outputs, and layers with a window but every n-th.
Status read_later_gemma(const ConfigFields& fields, double attention_cap, double logits_cap, int pattern,
                        ModelConfig& config) {
  ScaleForm& scales = config.form.scales;
  KV_ASSIGN(const double scalar, fields.positive_or("query_pre_attn_scalar", 256));
  scales.attention = 1 / std::sqrt(scalar);
  KV_ASSIGN(scales.attention_cap, fields.cap_or("attn_logit_softcapping", attention_cap));
  KV_ASSIGN(scales.logits_cap, fields.cap_or("final_logit_softcapping", logits_cap));
  config.form.norms.outputs = true;
  KV_ASSIGN(const int window, read_window(fields, 4096));
  config.form.layers.resize(static_cast<std::size_t>(config.layers));
  if (fields.has("layer_types")) return read_layer_types(fields, window, config);
  set_windows(window, config);
  for (std::size_t layer = 0; layer < config.form.layers.size(); ++layer)
    if ((static_cast<int>(layer) + 1) % pattern == 0) config.form.layers[layer].window = 0;
  return {};
}

/// Layers with a window have a rotation of their own, whatever their number of positions.
Status read_gemma3_rope(const ConfigFields& fields, const std::vector<bool>& local, ModelConfig& config) {
  const Json& json = fields.json();
  Json full = Json::object();
  double local_theta = 0;
  KV_ASSIGN(local_theta, fields.positive_or("rope_local_base_freq", 10000));
  const bool nested = fields.has("rope_parameters") && json.at("rope_parameters").is_object() &&
                      (json.at("rope_parameters").contains("full_attention") ||
                       json.at("rope_parameters").contains("sliding_attention"));
  if (nested) {
    const Json& both = json.at("rope_parameters");
    if (both.contains("full_attention") && !both.at("full_attention").is_null()) full = both.at("full_attention");
    if (both.contains("sliding_attention") && both.at("sliding_attention").is_object()) {
      const ConfigFields sliding(both.at("sliding_attention"), fields.name());
      KV_ASSIGN(const auto kind, sliding.value_or<std::string>("rope_type", "default"));
      if (kind != "default")
        return fields.reject("rotary scaling '" + printable(kind) +
                             "' of sliding_attention layers is not supported; use default there");
      KV_ASSIGN(local_theta, sliding.positive_or("rope_theta", local_theta));
    }
  } else if (fields.has("rope_parameters")) {
    return fields.reject("rope_parameters must have full_attention and sliding_attention; correct its value");
  }
  if (fields.has("rope_scaling")) {
    if (!json.at("rope_scaling").is_object() || !full.is_object())
      return fields.reject("rope_scaling must be an object; correct its value");
    full.update(json.at("rope_scaling"));
  }
  KV_TRY(read_rope_of(fields, full, {.theta = 1e6}, config));
  config.rope.local_theta = local_theta;
  for (std::size_t layer = 0; layer < local.size(); ++layer) config.form.layers[layer].local_rope = local[layer];
  return {};
}

/// Which layers are sliding_attention, whether or not the window ever ends before a position does.
Expected<std::vector<bool>> sliding_layers(const ConfigFields& fields, int pattern, int layers) {
  std::vector<bool> sliding(static_cast<std::size_t>(layers));
  KV_ASSIGN(const auto types, fields.value_or<std::vector<std::string>>("layer_types", {}));
  for (std::size_t layer = 0; layer < sliding.size(); ++layer)
    sliding[layer] =
        layer < types.size() ? types[layer] == "sliding_attention" : (static_cast<int>(layer) + 1) % pattern != 0;
  return sliding;
}

WeightNames gemma_names(const ModelConfig& config, int layer) {
  WeightNames names = llama_names(config, layer);
  const std::string name = "model.layers." + std::to_string(layer) + ".";
  names.norms.attention_output = name + "post_attention_layernorm";
  names.norms.attention = name + "pre_feedforward_layernorm";
  names.norms.mlp_output = name + "post_feedforward_layernorm";
  return names;
}

}  // namespace

Status read_gemma(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_gemma_like(fields, "hidden_act", 8192, config));
  return read_rope(fields, {}, config);
}

Status read_gemma2(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_gemma_like(fields, "hidden_activation", 8192, config));
  KV_TRY(read_rope(fields, {}, config));
  return read_later_gemma(fields, 50, 30, 2, config);
}

Status read_gemma3(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_gemma_like(fields, "hidden_activation", 131072, config));
  KV_ASSIGN(int pattern, fields.size_or("sliding_window_pattern", 6));
  KV_ASSIGN(pattern, fields.size_or("_sliding_window_pattern", pattern));
  KV_TRY(read_later_gemma(fields, 0, 0, pattern, config));
  if (config.form.scales.attention_cap != 0)  // transformers passes it to no attention of this architecture
    return fields.reject("attn_logit_softcapping is not supported for this architecture; use another checkpoint");
  config.qk_norm = true;
  KV_ASSIGN(const auto local, sliding_layers(fields, pattern, config.layers));
  return read_gemma3_rope(fields, local, config);
}

Status read_gemma3_multimodal(const ConfigFields& fields, ModelConfig& config) { return read_gemma3(fields, config); }

Expected<Json> text_part(const ConfigFields& fields, Architecture architecture) {
  if (architecture != Architecture::gemma3_multimodal) return fields.json();
  if (!fields.has("text_config") || !fields.json().at("text_config").is_object())
    return fields.reject("text_config must be an object; correct its value");
  Json text = {{"vocab_size", 262208},    {"hidden_size", 2304},      {"intermediate_size", 9216},
               {"num_hidden_layers", 26}, {"num_attention_heads", 8}, {"num_key_value_heads", 4}};
  text.update(fields.json().at("text_config"));
  return text;
}

// As published; transformers renames these tensors when it loads them.
WeightNames names_of_gemma3_multimodal(const ModelConfig& config, int layer) {
  WeightNames names = gemma_names(config, layer);
  const auto below = [](std::string& name) { name = name.empty() ? name : "language_model." + name; };
  NormNames& norms = names.norms;
  AttentionNames& attention = names.attention;
  for (std::string* name :
       {&norms.input, &norms.attention, &norms.attention_output, &norms.mlp_output, &norms.query, &norms.key,
        &attention.query.name, &attention.key.name, &attention.value.name, &attention.output.name, &names.mlp.gate.name,
        &names.mlp.up.name, &names.mlp.down.name, &names.model.embeddings, &names.model.final_norm, &names.model.head})
    below(*name);
  return names;
}

WeightNames names_of_gemma(const ModelConfig& config, int layer) { return llama_names(config, layer); }
WeightNames names_of_gemma2(const ModelConfig& config, int layer) { return gemma_names(config, layer); }
WeightNames names_of_gemma3(const ModelConfig& config, int layer) { return gemma_names(config, layer); }

}  // namespace kvantage::inline model_architectures
