// SmolLM3: Llama with layers that rotate nothing.
#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_architectures {

Status read_smollm3(const ConfigFields& fields, ModelConfig& config) {
  KV_TRY(read_positions(fields, 32768, config));
  KV_TRY(read_rope(fields, {.theta = 2e6}, config));
  KV_TRY(read_norm_eps(fields, "rms_norm_eps", 1e-6, config));
  KV_TRY(check_activation(fields, "hidden_act", "silu", {"silu", "swish"}));
  KV_TRY(read_flags(fields, {.attention_bias = true, .mlp_bias = true, .tied = true}, config));
  KV_ASSIGN(const int interval, fields.size_or("no_rope_layer_interval", 4));
  KV_ASSIGN(const auto rotates, fields.value_or<std::vector<std::int64_t>>("no_rope_layers", {}));
  if (fields.has("no_rope_layers") && rotates.size() != static_cast<std::size_t>(config.layers))
    return fields.reject("no_rope_layers has " + std::to_string(rotates.size()) + " entries for " +
                         std::to_string(config.layers) + " layers; correct its value");
  config.form.layers.resize(static_cast<std::size_t>(config.layers));
  KV_ASSIGN(const auto use_window, fields.value_or<bool>("use_sliding_window", false));
  int window = 0;
  if (use_window) {
    KV_ASSIGN(window, read_window(fields, 0));
  }
  for (std::size_t layer = 0; layer < config.form.layers.size(); ++layer) {
    LayerForm& form = config.form.layers[layer];
    form.rotates = rotates.empty() ? (static_cast<int>(layer) + 1) % interval != 0 : rotates[layer] != 0;
    if (window < config.max_positions && !form.rotates) form.window = window;
  }
  // transformers masks by layer_types, and windows only where use_sliding_window does not switch them off.
  return use_window ? read_layer_types(fields, window, config) : Status{};
}

WeightNames names_of_smollm3(const ModelConfig& config, int layer) { return llama_names(config, layer); }

}  // namespace kvantage::inline model_architectures
