// A Hugging Face model folder's config.json, in this runtime's terms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/kv/codecs/shape.h"

namespace kvantage::inline model {

enum class Architecture { llama, mistral, qwen2, qwen3, opt };
/// "LlamaForCausalLM" and so on, as in config.json.
const char* to_string(Architecture architecture);

/// none: learned position rows are added to the embedding, and nothing is rotated.
enum class RopeKind { plain, linear, llama3, none };
const char* to_string(RopeKind kind);

/// Rotary position embedding: angle of pair i at position p = p * frequency[i], see rope_frequencies().
struct RopeConfig {
  double theta = 10000.0;
  RopeKind kind = RopeKind::plain;
  double factor = 1.0;                   // linear and llama3
  double low_frequency_factor = 1.0;     // llama3
  double high_frequency_factor = 4.0;    // llama3
  double original_max_positions = 8192;  // llama3
};

enum class WeightType { bf16, fp32 };
const char* to_string(WeightType type);

struct ModelConfig {
  Architecture architecture = Architecture::llama;
  int vocab_size = 0;
  int hidden = 0;
  int layers = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int intermediate = 0;
  RopeConfig rope;
  float rms_eps = 1e-6F;     // also for LayerNorm
  bool layer_norm = false;   // LayerNorm with biases instead of RMSNorm; then the MLP is fc2(relu(fc1(x))) (OPT)
  bool norm_after = false;   // norms after attention and MLP instead of before them, and none before the output head
  bool qkv_bias = false;     // biases on q, k and v
  bool output_bias = false;  // bias on the attention's output projection
  bool mlp_bias = false;
  bool qk_norm = false;  // RMSNorm over head_dim on q and k before RoPE (Qwen3)
  bool tied_embeddings = false;
  WeightType dtype = WeightType::fp32;  // as stored
  int max_positions = 0;                // the maximum at which this runtime matches the model's definition
  std::vector<std::int32_t> eos_ids;    // of config.json and generation_config.json, ascending
  std::int32_t bos_id = -1;             // -1: none

  /// Query heads that share one KV head.
  int group() const { return heads / kv_heads; }
  /// Rows before position 0 in the table of learned positions.
  static constexpr int position_offset = 2;
  bool learned_positions() const { return rope.kind == RopeKind::none; }
  /// Trainable parameters, embeddings counted once when tied.
  std::uint64_t parameters() const;
  /// All fields in one line, in a fixed order: part of the model's digest.
  std::string canonical_text() const;
};

/// Reads folder/config.json (older rope_theta/rope_scaling/torch_dtype and newer rope_parameters/dtype keys) and
/// generation_config.json where there is one. rejected_input names the field and what is supported.
Expected<ModelConfig> read_model_config(const std::filesystem::path& folder);

/// Radians per position of each channel pair (i, i + head_dim/2): [head_dim / 2]. Scaling as in transformers'
/// modeling_rope_utils (default, linear, llama3); zeros where nothing is rotated.
std::vector<float> rope_frequencies(const ModelConfig& config);

}  // namespace kvantage::inline model
