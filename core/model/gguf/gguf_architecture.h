// Architectures of GGUF files: one is a row in gguf_architectures.inl, with what its keys say beyond the sizes that all
// have. What no key says is as in the published models (docs/models.md).
#pragma once

#include <span>
#include <vector>

#include "core/model/architectures/model_config.h"
#include "core/model/gguf/gguf_keys.h"

namespace kvantage::inline model_gguf {

/// How converters write an architecture.
struct GgufForm {
  bool experts = false;     // the files that have experts; another row may have the same name without
  bool paired = false;      // rows of q and k: the two channels of a RoPE pair side by side
  bool partly = false;      // may rotate a part of each head
  bool layer_norm = false;  // the norms are LayerNorm, with an epsilon of another name
};

struct GgufArchitectureRow {
  const char* name = nullptr;  // general.architecture
  Architecture architecture = Architecture::llama;
  /// Everything but sizes, rotation, biases, norms' epsilon and ends of texts. config has the sizes.
  Status (*read)(const GgufKeys& keys, ModelConfig& config) = nullptr;
  GgufForm form;
};

std::span<const GgufArchitectureRow> gguf_architecture_rows();

inline constexpr const char* gguf_window_key = "attention.sliding_window";

/// That of a file, by general.architecture and by whether it has experts. rejected_input: there is none.
Expected<const GgufArchitectureRow*> gguf_architecture(const GgufFile& file);

/// Layers get `window`, if it is smaller than the model's positions, but for the last of every `period`. The key
/// attention.sliding_window_pattern overrides that: another period, or a flag for each layer.
/// Returns which layers are windowed, whether or not the window ever ends before a position does.
Expected<std::vector<bool>> read_gguf_windows(const GgufKeys& keys, int window, int period, ModelConfig& config);

/// expert_count and expert_used_count; each one is `intermediate` wide.
Status read_gguf_experts(const GgufKeys& keys, int intermediate, ModelConfig& config);

#define KV_GGUF_ARCHITECTURE(name, architecture, suffix, ...) \
  Status read_gguf_##suffix(const GgufKeys& keys, ModelConfig& config);
#include "core/model/gguf/gguf_architectures.inl"
#undef KV_GGUF_ARCHITECTURE

}  // namespace kvantage::inline model_gguf
