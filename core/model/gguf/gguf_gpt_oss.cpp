// gpt-oss in GGUF files.
#include "core/model/gguf/gguf_architecture.h"

namespace kvantage::inline model_gguf {

// YaRN's range is not rounded to whole channels: no key says so, but the published models' config.json does.
Status read_gguf_gpt_oss(const GgufKeys& keys, ModelConfig& config) {
  config.form.activation = Activation::clamped_swiglu;
  config.form.sinks = true;
  config.rope.stretch.truncate = false;
  KV_ASSIGN(const int wide, keys.size("expert_feed_forward_length"));
  KV_TRY(read_gguf_experts(keys, wide, config));
  KV_ASSIGN(const int window, keys.size(gguf_window_key));
  KV_TRY(read_gguf_windows(keys, window, 2, config));
  return {};
}

}  // namespace kvantage::inline model_gguf
