// The checkpoints of tiny_checkpoint.h as GGUF files, put together here a second time: names, order of rows, packing.
#pragma once

#include <cmath>

#include "tests/model/tiny_checkpoint.h"
#include "tests/support/gguf_writer.h"

namespace kvantage::test {

inline std::string gguf_name(const std::string& canonical) {
  static const std::vector<std::pair<std::string, std::string>> parts{{"model.embed_tokens", "token_embd"},
                                                                      {"model.norm", "output_norm"},
                                                                      {"lm_head", "output"},
                                                                      {"model.layers.", "blk."},
                                                                      {"input_layernorm", "attn_norm"},
                                                                      {"post_attention_layernorm", "ffn_norm"},
                                                                      {"self_attn.q_proj", "attn_q"},
                                                                      {"self_attn.k_proj", "attn_k"},
                                                                      {"self_attn.v_proj", "attn_v"},
                                                                      {"self_attn.o_proj", "attn_output"},
                                                                      {"self_attn.qkv_proj", "attn_qkv"},
                                                                      {"self_attn.q_norm", "attn_q_norm"},
                                                                      {"self_attn.k_norm", "attn_k_norm"},
                                                                      {"mlp.gate_proj", "ffn_gate"},
                                                                      {"mlp.gate_up_proj", "ffn_up"},
                                                                      {"mlp.up_proj", "ffn_up"},
                                                                      {"mlp.down_proj", "ffn_down"}};
  std::string name = canonical;
  for (const auto& [from, to] : parts)
    if (const std::size_t at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
  return name;
}

/// Rows of `heads` heads as converters write them for the architecture llama: [half, pair] within a head becomes [pair,
/// half].
inline std::vector<float> paired_rows(const NamedTensor& tensor, int heads) {
  const auto rows = static_cast<std::size_t>(tensor.shape[0]), width = tensor.numbers.size() / rows;
  const std::size_t head_dim = rows / static_cast<std::size_t>(heads);
  std::vector<float> numbers;
  for (std::size_t head = 0; head < rows; head += head_dim)
    for (std::size_t pair = 0; pair < head_dim / 2; ++pair)
      for (const std::size_t row : {head + pair, head + pair + head_dim / 2})
        numbers.insert(numbers.end(), tensor.numbers.begin() + static_cast<std::ptrdiff_t>(row * width),
                       tensor.numbers.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  return numbers;
}

/// Half precision, rounded to nearest, for numbers that it can hold; `kept`: what remains.
inline std::string half_of(float number, float& kept) {
  const double size = std::abs(static_cast<double>(number));
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, -14);
  double code = std::nearbyint(std::ldexp(size, 10 - exponent));
  kept = static_cast<float>(std::copysign(std::ldexp(code, exponent - 10), static_cast<double>(number)));
  if (code == 2048) {
    code = 1024;
    ++exponent;
  }
  const int bits = code < 1024 ? static_cast<int>(code) : ((exponent + 15) << 10) + static_cast<int>(code) - 1024;
  return gguf_number(static_cast<std::uint16_t>(bits | (std::signbit(number) ? 0x8000 : 0)));
}

/// Q8_0; `kept`: what the bytes stand for.
inline std::string packed_q8(const std::vector<float>& numbers, std::vector<float>& kept) {
  std::string bytes;
  for (std::size_t at = 0; at < numbers.size(); at += 32) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i) largest = std::max(largest, std::abs(numbers[at + i]));
    float scale = 0;
    bytes += half_of(largest / 127, scale);
    for (std::size_t i = 0; i < 32; ++i) {
      const float code = largest > 0 ? std::clamp(std::round(numbers[at + i] / scale), -127.0F, 127.0F) : 0.0F;
      bytes += static_cast<char>(static_cast<std::int8_t>(code));
      kept.push_back(scale * code);
    }
  }
  return bytes;
}

inline std::string packed_f16(const std::vector<float>& numbers, std::vector<float>& kept) {
  std::string bytes;
  for (const float number : numbers) {
    kept.push_back(0);
    bytes += half_of(number, kept.back());
  }
  return bytes;
}

enum class Packing { none, tight };

/// Of all layers, or of those without a window.
inline Json rope_of(const Json& config) {
  Json rope =
      config.contains("rope_parameters") ? config["rope_parameters"] : config.value("rope_scaling", Json::object());
  if (rope.is_null()) rope = Json::object();
  if (rope.contains("full_attention")) rope = rope["full_attention"];
  if (!rope.contains("rope_theta")) rope["rope_theta"] = config.value("rope_theta", 10000.0);
  if (!rope.contains("rope_type")) rope["rope_type"] = rope.value("type", "default");
  return rope;
}

/// ARCHITECTURE.rope.*, and the window of Phi-3, as converters write them.
inline void write_rope_keys(GgufWriter& writer, const std::string& architecture, const Json& config, int head_dim) {
  const Json rope = rope_of(config);
  const std::string prefix = architecture + ".rope.", scaling = rope["rope_type"];
  writer.u32(
      prefix + "dimension_count",
      static_cast<std::uint32_t>(config.value("rotary_pct", config.value("partial_rotary_factor", 1.0)) * head_dim));
  writer.f32(prefix + "freq_base", rope["rope_theta"].get<float>());
  if (scaling == "linear" || scaling == "yarn")
    writer.text(prefix + "scaling.type", scaling).f32(prefix + "scaling.factor", rope["factor"].get<float>());
  if (scaling == "yarn")
    writer.u32(prefix + "scaling.original_context_length",
               rope["original_max_position_embeddings"].get<std::uint32_t>());
  if (scaling == "longrope") {
    const double original = config["original_max_position_embeddings"], most = config["max_position_embeddings"];
    writer.u32(prefix + "scaling.original_context_length", static_cast<std::uint32_t>(original))
        .f32(prefix + "scaling.attn_factor",
             static_cast<float>(std::sqrt(1 + std::log(most / original) / std::log(original))));
  }
  if (architecture == "phi3" && config["sliding_window"].is_number())
    writer.u32("phi3.attention.sliding_window", config["sliding_window"].get<std::uint32_t>());
}

/// Divisors of the frequencies, as converters write them.
inline void write_rope_tensors(GgufWriter& writer, const Json& config, int head_dim) {
  const Json rope = rope_of(config);
  if (rope["rope_type"] == "longrope")
    for (const std::string which : {"short", "long"}) {
      const auto divisors = rope[which + "_factor"].get<std::vector<float>>();
      writer.tensor("rope_factors_" + which + ".weight", {divisors.size()}, divisors);
    }
  if (rope["rope_type"] != "llama3") return;
  std::vector<float> divisors;
  const double factor = rope["factor"], low = rope["low_freq_factor"], high = rope["high_freq_factor"],
               length = rope["original_max_position_embeddings"], theta = rope["rope_theta"];
  for (int i = 0; i < head_dim; i += 2) {
    const double wavelength = 2 * M_PI * std::pow(theta, double(i) / head_dim),
                 smooth = (length / wavelength - low) / (high - low);
    divisors.push_back(static_cast<float>(wavelength < length / high  ? 1
                                          : wavelength > length / low ? factor
                                                                      : 1 / ((1 - smooth) / factor + smooth)));
  }
  writer.tensor("rope_freqs.weight", {divisors.size()}, divisors);
}

inline int head_dim_of(const Json& config) {
  return config.value("head_dim", config["hidden_size"].get<int>() / config["num_attention_heads"].get<int>());
}

/// The architecture, and the sizes that all have.
inline void write_size_keys(GgufWriter& writer, const std::string& architecture, const Json& config) {
  const auto key = [&](const char* name) { return architecture + "." + name; };
  const auto number = [&](const char* name, const char* field) {
    writer.u32(key(name), config[field].get<std::uint32_t>());
  };
  writer.text("general.architecture", architecture);
  number("embedding_length", "hidden_size");
  number("block_count", "num_hidden_layers");
  number("feed_forward_length", "intermediate_size");
  number("attention.head_count", "num_attention_heads");
  const bool gptneox = architecture == "gptneox";  // LayerNorm, and as many KV heads as heads
  if (!gptneox) number("attention.head_count_kv", "num_key_value_heads");
  number("context_length", "max_position_embeddings");
  const auto head_dim = static_cast<std::uint32_t>(head_dim_of(config));
  if (!gptneox) writer.u32(key("attention.key_length"), head_dim).u32(key("attention.value_length"), head_dim);
  writer.f32(key(gptneox ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
             config.value(gptneox ? "layer_norm_eps" : "rms_norm_eps", 1e-5F));
}

/// `kept` (where not null): the tensors that a reader finds, under their standard names and in their standard order.
inline std::string gguf_bytes(const GoldenCase& golden, Packing packing, NamedTensors* kept = nullptr,
                              GgufWriter writer = GgufWriter()) {
  const Json& config = golden.json["config"];
  const std::string architecture = config["model_type"];
  const int heads = config["num_attention_heads"], kv_heads = config["num_key_value_heads"],
            head_dim = head_dim_of(config);
  write_size_keys(writer, architecture, config);
  write_rope_keys(writer, architecture, config, head_dim);
  writer.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);

  for (const auto& [canonical, tensor] : golden.tensors()) {
    std::vector<float> numbers = tensor.numbers;
    int paired = 0;
    if (architecture == "llama" && canonical.find("q_proj") != std::string::npos) paired = heads;
    if (architecture == "llama" && canonical.find("k_proj") != std::string::npos) paired = kv_heads;
    std::vector<std::uint64_t> extents(tensor.shape.rbegin(), tensor.shape.rend());
    const bool matrix = tensor.shape.size() == 2;
    NamedTensor unpacked = tensor;
    // Matrices whose rows are whole blocks are packed, the others and the embedding halved: files mix types.
    const bool blocks = matrix && tensor.shape[1] % 32 == 0 && canonical.find("embed") == std::string::npos;
    if (packing == Packing::tight && matrix) {
      unpacked.numbers.clear();
      blocks ? packed_q8(numbers, unpacked.numbers) : packed_f16(numbers, unpacked.numbers);
    }
    if (paired != 0) numbers = paired_rows(tensor, paired);
    std::vector<float> ignored;
    if (packing == Packing::none || !matrix)
      writer.tensor(gguf_name(canonical), extents, numbers);
    else if (blocks)
      writer.tensor(gguf_name(canonical), extents, 8, packed_q8(numbers, ignored));
    else
      writer.tensor(gguf_name(canonical), extents, 1, packed_f16(numbers, ignored));
    if (kept != nullptr) (*kept)[canonical] = std::move(unpacked);
  }
  write_rope_tensors(writer, config, head_dim);
  return writer.bytes();
}

}  // namespace kvantage::test
