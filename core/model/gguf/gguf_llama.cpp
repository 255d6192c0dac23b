// Llama (also Mistral and Mixtral), Qwen, Phi-3, Granite, SmolLM3, OLMo 2 and GPT-NeoX in GGUF files.
#include <algorithm>
#include <cstdint>
#include <string>

#include "core/model/architectures/config_fields.h"
#include "core/model/gguf/gguf_architecture.h"

namespace kvantage::inline model_gguf {
namespace {

/// 0: none.
Expected<int> window_of(const GgufKeys& keys) {
  if (!keys.has(gguf_window_key)) return 0;
  KV_ASSIGN(const auto window, keys.file().whole_number(keys.key(gguf_window_key)));
  return static_cast<int>(std::min<std::uint64_t>(window, 1 << 30));
}

/// The files do not say which layers have the window, so positions end with it.
Status bound_positions(const GgufKeys& keys, ModelConfig& config) {
  KV_ASSIGN(const int window, window_of(keys));
  if (window == 0 || window >= config.max_positions) return {};
  config.max_positions = window;
  config.form.file.positions_of = "key '" + keys.key(gguf_window_key) + "' in " + keys.file().name();
  return {};
}

}  // namespace

Status read_gguf_llama(const GgufKeys& keys, ModelConfig& config) { return bound_positions(keys, config); }

Status read_gguf_mixtral(const GgufKeys& keys, ModelConfig& config) {
  KV_TRY(bound_positions(keys, config));
  return read_gguf_experts(keys, config.intermediate, config);
}

Status read_gguf_qwen2(const GgufKeys& keys, ModelConfig& config) {
  config.qkv_bias = true;
  return bound_positions(keys, config);
}

Status read_gguf_qwen3(const GgufKeys& keys, ModelConfig& config) {
  config.qk_norm = true;
  return bound_positions(keys, config);
}

// The weights of the chosen experts sum to 1: no key says otherwise.
Status read_gguf_qwen3_moe(const GgufKeys& keys, ModelConfig& config) {
  config.qk_norm = true;
  KV_TRY(bound_positions(keys, config));
  KV_ASSIGN(const int wide, keys.size("expert_feed_forward_length"));
  return read_gguf_experts(keys, wide, config);
}

Status read_gguf_phi3(const GgufKeys& keys, ModelConfig& config) {
  KV_ASSIGN(const int window, window_of(keys));
  set_windows(window, config);
  return {};
}

Status read_gguf_granite(const GgufKeys& keys, ModelConfig& config) {
  constexpr const char* rotates = "rope.scaling.finetuned";  // of these models: whether there are positions at all
  KV_ASSIGN(const bool positions, keys.flag_or(rotates, true));
  if (!positions) return keys.refuse(rotates, "is false, and models without positions are not supported");
  ScaleForm& scales = config.form.scales;
  KV_ASSIGN(scales.embedding, keys.positive_or("embedding_scale", 1));
  if (keys.has("attention.scale")) {
    KV_ASSIGN(scales.attention, keys.positive("attention.scale"));
  }
  KV_ASSIGN(scales.residual, keys.positive_or("residual_scale", 1));
  KV_ASSIGN(scales.logits, keys.positive_or("logit_scale", 1));
  return bound_positions(keys, config);
}

// Which layers rotate nothing is in no key.
Status read_gguf_smollm3(const GgufKeys& keys, ModelConfig& config) {
  constexpr std::size_t interval = 4;
  config.form.layers.resize(static_cast<std::size_t>(config.layers));
  for (std::size_t layer = 0; layer < config.form.layers.size(); ++layer)
    config.form.layers[layer].rotates = (layer + 1) % interval != 0;
  return bound_positions(keys, config);
}

Status read_gguf_olmo2(const GgufKeys& keys, ModelConfig& config) {
  KV_ASSIGN(const int window, window_of(keys));
  if (window > 0)
    return keys.refuse(gguf_window_key, "is " + std::to_string(window) + ", as of OLMo 3, which is not supported");
  config.qk_norm = true;
  NormForm& norms = config.form.norms;
  norms.inputs = false;
  norms.outputs = norms.whole_heads = true;
  return {};
}

// Which GELU is in no key: the exact one, as Pythia has it.
Status read_gguf_gpt_neox(const GgufKeys& keys, ModelConfig& config) {
  if (config.kv_heads != config.heads || config.heads * config.head_dim != config.hidden)
    return keys.refuse("attention.head_count",
                       "(" + std::to_string(config.heads) + ") must divide embedding_length, with as many KV heads");
  KV_ASSIGN(config.form.parallel, keys.flag_or("use_parallel_residual", true));
  config.layer_norm = true;
  config.form.gated = false;
  config.form.activation = Activation::gelu;
  return {};
}

}  // namespace kvantage::inline model_gguf
