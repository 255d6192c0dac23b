// A model's shape and arithmetic, in this runtime's terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/architectures/model_form.h"

namespace kvantage::inline model_architectures {

/// In the order of the table in core/model/architectures.
enum class Architecture {
  llama,
  mistral,
  qwen2,
  qwen3,
  opt,
  gemma,
  gemma2,
  gemma3,
  qwen3_moe,
  mixtral,
  phi3,
  olmo2,
  granite,
  smollm3,
  gpt_neox,
  gpt_oss,
  gemma3_multimodal,
  deepseek_v2,
  deepseek_v3
};
/// "LlamaForCausalLM" and so on, as in config.json.
const char* to_string(Architecture architecture);

/// none: learned position rows are added to the embedding, and nothing is rotated.
enum class RopeKind { plain, linear, llama3, none, yarn, longrope };
const char* to_string(RopeKind kind);

/// Of longrope and dynamic scaling, while a config is read: serve_positions() chooses by the length that is served.
struct LengthChoice {
  std::vector<double> long_divisors;  // longrope's; empty: there is nothing to choose
  double dynamic_factor = 0;          // 0: nothing to choose
  int dynamic_positions = 0;          // that plain rotations serve
  std::string original_key;           // the file and key that end the shorter positions
};

/// Of YaRN and longrope.
struct RopeStretch {
  double beta_fast = 32, beta_slow = 1;  // yarn
  bool truncate = true;                  // yarn: the range between them in whole channels
  double attention_factor = 1;           // cosines and sines are multiplied by it
  std::vector<double> divisors;          // longrope: of the frequencies [rotated / 2], for all texts alike
  LengthChoice choice;
};

/// Rotary position embedding: angle of pair i at position p = p * frequency[i], see rope_frequencies().
struct RopeConfig {
  double theta = 10000.0;
  RopeKind kind = RopeKind::plain;
  double factor = 1.0;                   // linear, llama3 and yarn
  double low_frequency_factor = 1.0;     // llama3
  double high_frequency_factor = 4.0;    // llama3
  double original_max_positions = 8192;  // llama3 and yarn
  int rotated = 0;                       // channels of a head that are rotated, the first ones as stored; 0: all
  RopeStretch stretch;
  double local_theta = 0;  // of layers with local_rope
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
  bool layer_norm = false;   // LayerNorm with biases instead of RMSNorm
  bool qkv_bias = false;     // biases on q, k and v
  bool output_bias = false;  // bias on the attention's output projection
  bool mlp_bias = false;
  bool qk_norm = false;  // RMSNorm over head_dim on q and k before RoPE (Qwen3)
  bool tied_embeddings = false;
  WeightType dtype = WeightType::fp32;  // as stored
  int max_positions = 0;                // the maximum at which this runtime matches the model's definition
  std::vector<std::int32_t> eos_ids;    // of config.json and generation_config.json, ascending
  std::int32_t bos_id = -1;             // -1: none
  ModelForm form;                       // what differs from a Llama layer

  /// Channels of a head that are rotated.
  int rotated_channels() const { return rope.rotated != 0 ? rope.rotated : head_dim; }
  /// Query heads that share one KV head.
  int group() const { return heads / kv_heads; }
  /// Rows before position 0 in the table of learned positions.
  static constexpr int position_offset = 2;
  bool learned_positions() const { return rope.kind == RopeKind::none; }
  LayerForm layer_form(int layer) const {
    return form.layers.empty() ? LayerForm{} : form.layers[static_cast<std::size_t>(layer)];
  }
  /// Tokens that a query of this layer sees, itself included; 0: all before it.
  int window(int layer) const { return layer_form(layer).window; }
  bool has_windows() const;
  /// [layers] window(); empty: no layer has one.
  std::vector<std::int32_t> windows() const;
  /// Whether every layer rotates by the same angles, so that kept keys can be moved to other positions.
  bool rotates_alike() const;
  /// What queries are multiplied by for those who score by them: with 1 / sqrt(head_dim) it makes the model's scores.
  float observed_scale() const;
  /// What only models beyond the first five architectures have, in words: "a sliding window in some layers". Empty:
  /// nothing. For parts of the program that do without.
  std::string extensions() const;
  /// Trainable parameters, embeddings counted once when tied.
  std::uint64_t parameters() const;
  /// All fields in one line, in a fixed order: part of the model's digest.
  std::string canonical_text() const;
};

}  // namespace kvantage::inline model_architectures
