#include "core/model/gguf_rope.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/model/gguf_blocks.h"

namespace kvantage::inline model {
namespace {

constexpr const char* llama3_tensor = "rope_freqs.weight";
constexpr const char* short_tensor = "rope_factors_short.weight";
constexpr const char* long_tensor = "rope_factors_long.weight";
constexpr const char* original_key = "rope.scaling.original_context_length";

const char* factor_key(const GgufKeys& keys) {
  return keys.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
}

/// One number for each rotated pair of channels.
Expected<std::vector<float>> read_divisors(const GgufFile& file, const char* name, const ModelConfig& config) {
  const auto pairs = static_cast<std::size_t>(config.rotated_channels() / 2);
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end())
    return file.reject("tensor '" + std::string(name) + "' is missing; convert the model again");
  const GgufTensor& tensor = found->second;
  if (std::string_view(tensor.type->name) != "F32" ||
      tensor.shape != std::vector<std::int64_t>{static_cast<std::int64_t>(pairs)})
    return file.reject("tensor '" + std::string(name) + "' must be " + std::to_string(pairs) +
                       " numbers of F32; convert the model again");
  std::vector<float> divisors(pairs);
  widen_blocks("F32")(tensor.bytes, divisors);
  return divisors;
}

/// Do these divisors map one list of frequencies to the other?
bool divides(const std::vector<float>& divisors, const std::vector<float>& before, const std::vector<float>& after) {
  for (std::size_t i = 0; i < divisors.size(); ++i)
    if (!(std::abs(before[i] - after[i] * divisors[i]) <= 1e-5F * before[i])) return false;
  return true;
}

/// Llama 3's RoPE scaling is stored as one divisor per frequency. Its models share the band from 1 to 4, the factor is
/// the largest divisor, and the remaining unknown is the original training length: usually 8192.
Status read_llama3(const GgufFile& file, ModelConfig& config) {
  if (!file.tensors().contains(llama3_tensor)) return {};
  KV_ASSIGN(const auto divisors, read_divisors(file, llama3_tensor, config));
  const double factor = static_cast<double>(*std::ranges::max_element(divisors));
  if (config.rope.kind == RopeKind::plain && factor >= 1 && factor < 1e6) {
    const auto before = rope_frequencies(config);
    if (divides(divisors, before, before)) return {};
    ModelConfig scaled = config;
    scaled.rope.kind = RopeKind::llama3;
    scaled.rope.factor = factor;
    scaled.rope.low_frequency_factor = 1;
    scaled.rope.high_frequency_factor = 4;
    std::vector<double> lengths{8192};
    for (double length = 32; length <= 1 << 20; length *= 2) lengths.push_back(length);
    for (const double length : lengths) {
      scaled.rope.original_max_positions = length;
      if (!divides(divisors, before, rope_frequencies(scaled))) continue;
      config.rope = scaled.rope;
      return {};
    }
  }
  return file.reject(
      "tensor 'rope_freqs.weight' scales the frequencies in another way than Llama 3; use another model");
}

Status read_rotated(const GgufKeys& keys, bool partly, ModelConfig& config) {
  constexpr const char* name = "rope.dimension_count";
  KV_ASSIGN(const int rotated, keys.size_or(name, config.head_dim));
  if (rotated == config.head_dim) return {};
  if (!partly)
    return keys.refuse(name, "is " + std::to_string(rotated) + ", but only heads that are rotated as a whole (" +
                                 std::to_string(config.head_dim) + ") are supported");
  if (rotated > config.head_dim || rotated % 2 != 0)
    return keys.refuse(name, "(" + std::to_string(rotated) + ") must be an even part of the " +
                                 std::to_string(config.head_dim) + " channels of a head");
  config.rope.rotated = rotated;
  return {};
}

/// Keys that would change the meaning of the others. llama.cpp's other settings of YaRN are not read.
Status refuse_other_than(const GgufKeys& keys, const char* name, double neutral) {
  if (!keys.has(name)) return {};
  KV_ASSIGN(const double number, keys.file().number(keys.key(name)));
  if (number == neutral) return {};
  return keys.refuse(name, "is " + std::to_string(number) + ", which is not supported");
}

/// As transformers' with truncated range, which ggml computes, too.
Status read_yarn(const GgufKeys& keys, int trained, ModelConfig& config) {
  RopeConfig& rope = config.rope;
  rope.kind = RopeKind::yarn;
  for (const auto& [name, neutral] :
       {std::pair{"rope.scaling.yarn_ext_factor", 1.0}, std::pair{"rope.scaling.yarn_attn_factor", 1.0},
        std::pair{"rope.scaling.yarn_log_multiplier", 0.0}})
    KV_TRY(refuse_other_than(keys, name, neutral));
  KV_ASSIGN(rope.factor, keys.positive_or(factor_key(keys), 1.0));
  KV_ASSIGN(rope.original_max_positions, keys.positive_or(original_key, trained));
  KV_ASSIGN(rope.stretch.beta_fast, keys.positive_or("rope.scaling.yarn_beta_fast", 32));
  KV_ASSIGN(rope.stretch.beta_slow, keys.positive_or("rope.scaling.yarn_beta_slow", 1));
  KV_ASSIGN(const double attention, keys.positive_or("rope.scaling.attn_factor", 1));
  rope.stretch.attention_factor = attention * (rope.factor <= 1 ? 1.0 : 0.1 * std::log(rope.factor) + 1);
  return {};
}

Status read_longrope(const GgufKeys& keys, int trained, ModelConfig& config) {
  const GgufFile& file = keys.file();
  RopeConfig& rope = config.rope;
  rope.kind = RopeKind::longrope;
  KV_TRY(refuse_other_than(keys, factor_key(keys), 1));
  if (file.tensors().contains(llama3_tensor))
    return file.reject("has both tensors '" + std::string(llama3_tensor) + "' and '" + long_tensor +
                       "', which scale the rotation twice; convert the model again");
  KV_ASSIGN(rope.original_max_positions, keys.positive_or(original_key, trained));
  rope.factor = trained / rope.original_max_positions;
  KV_ASSIGN(rope.stretch.attention_factor, keys.positive_or("rope.scaling.attn_factor", 1));
  KV_ASSIGN(const auto shorter, read_divisors(file, short_tensor, config));
  KV_ASSIGN(const auto longer, read_divisors(file, long_tensor, config));
  for (const auto* divisors : {&shorter, &longer})
    for (const float divisor : *divisors)
      if (!(divisor > 1e-12F && divisor < 1e12F))
        return file.reject("tensors '" + std::string(short_tensor) + "' and '" + long_tensor +
                           "' must hold positive numbers from 1e-12 to 1e12; convert the model again");
  rope.stretch.divisors.assign(shorter.begin(), shorter.end());
  if (rope.original_max_positions < config.max_positions)
    rope.stretch.choice = {.long_divisors = std::vector<double>(longer.begin(), longer.end()),
                           .original_key = "key '" + keys.key(original_key) + "' in " + file.name()};
  return {};
}

}  // namespace

bool is_rope_tensor(std::string_view name) {
  return name == llama3_tensor || name == short_tensor || name == long_tensor;
}

Status read_gguf_rope(const GgufKeys& keys, bool partly, ModelConfig& config) {
  const GgufFile& file = keys.file();
  KV_ASSIGN(config.rope.theta, keys.positive_or("rope.freq_base", 10000.0));
  KV_TRY(read_rotated(keys, partly, config));
  KV_ASSIGN(const int trained, keys.size_or("context_length", config.max_positions));
  constexpr const char* type = "rope.scaling.type";
  std::string kind = keys.has(factor_key(keys)) ? "linear" : "none";
  if (keys.has(type)) {
    KV_ASSIGN(kind, file.text(keys.key(type)));
  }
  const bool has_factors = file.tensors().contains(short_tensor) || file.tensors().contains(long_tensor);
  if (kind == "longrope" || (has_factors && (kind == "none" || kind == "linear")))  // as llama.cpp, by the tensors
    return read_longrope(keys, trained, config);
  if (has_factors)
    return keys.refuse(type, "is '" + printable(kind) + "' beside longrope's tensor '" + long_tensor + "'");
  if (kind == "yarn") {
    KV_TRY(read_yarn(keys, trained, config));
  } else if (kind == "linear") {
    KV_ASSIGN(const double factor, keys.positive_or(factor_key(keys), 1.0));
    if (factor != 1.0) {
      config.rope.kind = RopeKind::linear;
      config.rope.factor = factor;
    }
  } else if (kind != "none") {
    return keys.refuse(type, "is '" + printable(kind) +
                                 "', but only none, linear, yarn, longrope and Llama 3's scaling are supported");
  }
  return read_llama3(file, config);
}

}  // namespace kvantage::inline model
