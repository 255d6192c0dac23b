// Model architectures: one is a file here and a row in architectures.inl. A file reads what config.json says beyond the
// common sizes into ModelConfig, and names the tensors of a layer. The forward pass knows neither.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/architectures/config_fields.h"
#include "core/model/architectures/weight_names.h"

namespace kvantage::inline model_architectures {

struct ArchitectureRow {
  Architecture architecture = Architecture::llama;
  const char* name = nullptr;              // in config.json
  const char* intermediate_key = nullptr;  // of the width of the MLP
  /// Everything beyond vocabulary, hidden size, layers, heads, KV heads, head_dim and intermediate, which are read.
  Status (*read)(const ConfigFields& fields, ModelConfig& config) = nullptr;
  WeightNames (*names)(const ModelConfig& config, int layer) = nullptr;
  int head_dim = 0;  // where the file does not say; 0: hidden_size / num_attention_heads
};

/// In the order of enum Architecture.
std::span<const ArchitectureRow> architecture_rows();
inline const ArchitectureRow& row_of(Architecture architecture) {
  return architecture_rows()[static_cast<std::size_t>(architecture)];
}

#define KV_ARCHITECTURE(id, name, intermediate, head_dim, suffix)        \
  Status read_##suffix(const ConfigFields& fields, ModelConfig& config); \
  WeightNames names_of_##suffix(const ModelConfig& config, int layer);
#include "core/model/architectures/architectures.inl"
#undef KV_ARCHITECTURE

/// What config.json says about the text model: all of it, or its text_config with what transformers takes as granted.
/// rejected_input: text_config is no object.
Expected<Json> text_part(const ConfigFields& fields, Architecture architecture);

/// Llama's names, which most others have, too.
WeightNames llama_names(const ModelConfig& config, int layer);

/// Experts whose matrices are tensors of their own: prefix + "3." + gate, and so on.
std::vector<MlpNames> expert_names(const std::string& prefix, int count, const char* gate, const char* up,
                                   const char* down);

}  // namespace kvantage::inline model_architectures
