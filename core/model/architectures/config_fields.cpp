#include "core/model/architectures/config_fields.h"

#include <algorithm>

namespace kvantage::inline model_architectures {

Expected<int> ConfigFields::bounded(Expected<double> value, const char* key) const {
  KV_ASSIGN(const double number, std::move(value));
  if (!(number >= 1 && number <= 1e9) || number != static_cast<double>(static_cast<int>(number)))
    return fail(ErrorCode::rejected_input,
                name_ + ": field '" + key + "' must be a whole number from 1 to 1e9; correct its value");
  return static_cast<int>(number);
}

Expected<double> ConfigFields::positive_or(const char* key, double fallback) const {
  KV_ASSIGN(const double number, value_or<double>(key, fallback));
  if (!(number > 1e-12 && number < 1e12))
    return reject("field '" + std::string(key) + "' must be a positive number from 1e-12 to 1e12; correct its value");
  return number;
}

Expected<double> ConfigFields::cap_or(const char* key, double fallback) const {
  if (!names(key)) return fallback;
  return has(key) ? positive_or(key, fallback) : Expected<double>(0.0);
}

Status read_positions(const ConfigFields& fields, int fallback, ModelConfig& config) {
  KV_ASSIGN(config.max_positions, fields.size_or("max_position_embeddings", fallback));
  config.form.file.positions_of = "max_position_embeddings in " + fields.name();
  return {};
}

Expected<int> read_window(const ConfigFields& fields, int fallback) {
  if (fields.names("sliding_window") && !fields.has("sliding_window")) return 0;
  return fields.has("sliding_window") ? fields.size("sliding_window") : Expected<int>(fallback);
}

void set_windows(int window, ModelConfig& config) {
  if (window == 0 || window >= config.max_positions) return;  // no query has as many tokens before it
  config.form.layers.resize(static_cast<std::size_t>(config.layers));
  for (LayerForm& layer : config.form.layers) layer.window = window;
}

Status read_layer_types(const ConfigFields& fields, int window, ModelConfig& config) {
  if (!fields.has("layer_types")) return {};
  KV_ASSIGN(const auto types, fields.value_or<std::vector<std::string>>("layer_types", {}));
  if (types.size() != static_cast<std::size_t>(config.layers))
    return fields.reject("layer_types has " + std::to_string(types.size()) + " entries for " +
                         std::to_string(config.layers) + " layers; correct its value");
  config.form.layers.resize(types.size());
  for (std::size_t layer = 0; layer < types.size(); ++layer) {
    int& target = config.form.layers[layer].window;
    if (types[layer] == "full_attention")
      target = 0;
    else if (types[layer] != "sliding_attention")
      return fields.reject("layer_types: '" + printable(types[layer]) +
                           "' is not supported; use a model of full_attention and sliding_attention layers");
    else if (window == 0)
      return fields.reject("layer_types names sliding_attention, but there is no sliding_window; correct the values");
    else
      target = window < config.max_positions ? window : 0;
  }
  return {};
}

Status read_norm_eps(const ConfigFields& fields, const char* key, double fallback, ModelConfig& config) {
  KV_ASSIGN(const auto eps, fields.value_or<double>(key, fallback));
  if (!(static_cast<float>(eps) > 0 && eps < 1))
    return fields.reject(std::string(key) + " must be between 0 and 1; correct its value");
  config.rms_eps = static_cast<float>(eps);
  return {};
}

Status check_activation(const ConfigFields& fields, const char* key, const char* fallback,
                        std::initializer_list<const char*> wanted) {
  KV_ASSIGN(const auto activation, fields.value_or<std::string>(key, fallback));
  if (std::ranges::any_of(wanted, [&](const char* name) { return activation == name; })) return {};
  return fields.reject("activation '" + printable(activation) + "' is not supported; use a checkpoint with " +
                       *wanted.begin());
}

Status read_flags(const ConfigFields& fields, const FlagKeys& keys, ModelConfig& config) {
  const auto bias = fields.value_or<bool>("attention_bias", false), mlp = fields.value_or<bool>("mlp_bias", false),
             tied = fields.value_or<bool>("tie_word_embeddings", keys.tied);
  for (const auto* flag : {&bias, &mlp, &tied}) KV_TRY(*flag);
  config.qkv_bias = config.output_bias = keys.attention_bias && *bias;
  config.mlp_bias = keys.mlp_bias && *mlp;
  config.tied_embeddings = *tied;
  return {};
}

Status check_experts(const ConfigFields& fields, const ExpertForm& experts) {
  if (experts.intermediate > (1 << 22))
    return fields.reject("sizes are larger than those of any supported model; correct the values");
  if (experts.chosen <= experts.count && experts.count <= 4096) return {};
  return fields.reject("num_experts_per_tok (" + std::to_string(experts.chosen) + ") of " +
                       std::to_string(experts.count) + " experts cannot be chosen; correct the values");
}

Status check_causal(const ConfigFields& fields) {
  KV_ASSIGN(const auto both_ways, fields.value_or<bool>("use_bidirectional_attention", false));
  if (both_ways)
    return fields.reject(
        "use_bidirectional_attention: a model whose tokens see later ones generates no text; "
        "use another checkpoint");
  return {};
}

}  // namespace kvantage::inline model_architectures
