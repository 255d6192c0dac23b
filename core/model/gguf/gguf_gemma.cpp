// Gemma 1 to 3 in GGUF files, whose norms are stored with 1 added.
#include <algorithm>
#include <cmath>

#include "core/model/gguf/gguf_architecture.h"

namespace kvantage::inline model_gguf {
namespace {

void set_shared(ModelConfig& config) {
  config.form.activation = Activation::gelu_tanh;
  config.form.scales.embedding = std::sqrt(static_cast<double>(config.hidden));
}

/// No key has the divisor of scores: of the models with so many layers it is another one.
void set_attention_scale(int layers, ModelConfig& config) {
  const int divisor = config.layers == layers ? config.hidden / config.heads : config.head_dim;
  config.form.scales.attention = 1 / std::sqrt(static_cast<double>(std::max(1, divisor)));
}

}  // namespace

Status read_gguf_gemma(const GgufKeys& /*keys*/, ModelConfig& config) {
  set_shared(config);
  return {};
}

Status read_gguf_gemma2(const GgufKeys& keys, ModelConfig& config) {
  set_shared(config);
  set_attention_scale(46, config);  // 27B
  config.form.norms.outputs = true;
  KV_ASSIGN(config.form.scales.attention_cap, keys.positive_or("attn_logit_softcapping", 50));
  KV_ASSIGN(config.form.scales.logits_cap, keys.positive_or("final_logit_softcapping", 30));
  KV_ASSIGN(const int window, keys.size_or(gguf_window_key, 4096));
  KV_TRY(read_gguf_windows(keys, window, 2, config));
  return {};
}

// Layers with a window have a rotation of their own, unscaled.
Status read_gguf_gemma3(const GgufKeys& keys, ModelConfig& config) {
  set_shared(config);
  set_attention_scale(62, config);  // 27B
  config.form.norms.outputs = true;
  config.qk_norm = true;
  if (keys.has("final_logit_softcapping")) {
    KV_ASSIGN(config.form.scales.logits_cap, keys.positive("final_logit_softcapping"));
  }
  if (!keys.has(gguf_window_key)) return {};
  KV_ASSIGN(const int window, keys.size(gguf_window_key));
  KV_ASSIGN(const auto windowed, read_gguf_windows(keys, window, 6, config));
  KV_ASSIGN(config.rope.local_theta, keys.positive_or("rope.freq_base_swa", 10000));
  for (std::size_t layer = 0; layer < windowed.size(); ++layer) config.form.layers[layer].local_rope = windowed[layer];
  return {};
}

}  // namespace kvantage::inline model_gguf
