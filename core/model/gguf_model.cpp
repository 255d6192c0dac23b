#include "core/model/gguf_model.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/json.h"
#include "core/model/architectures/config_fields.h"
#include "core/model/gguf_blocks.h"
#include "core/model/gguf_keys.h"
#include "core/model/gguf_rope.h"

namespace kvantage::inline model {
namespace {

template <class T>
tl::unexpected<Error> error_of(const Expected<T>& failed) {
  return tl::unexpected(failed.error());
}

/// Does any layer have this tensor?
bool any_layer_has(const GgufFile& file, const std::string& name) {
  return std::ranges::any_of(file.tensors(), [&](const auto& entry) {
    return entry.first.starts_with("blk.") && entry.first.ends_with("." + name);
  });
}

Expected<Architecture> read_gguf_architecture(const GgufFile& file) {
  const auto name = file.text("general.architecture");
  if (!name) return error_of(name);
  if (*name == "llama") return Architecture::llama;
  if (*name == "qwen2") return Architecture::qwen2;
  if (*name == "qwen3") return Architecture::qwen3;
  if (*name == "phi3") return Architecture::phi3;
  return file.reject("architecture '" + printable(*name) +
                     "' (key 'general.architecture') is not supported; use a model of llama, qwen2, qwen3 or phi3");
}

Status read_sizes(const GgufKeys& keys, ModelConfig& config) {
  struct Size {
    const char* key;
    int* target;
  };
  for (const Size& size :
       {Size{"embedding_length", &config.hidden}, Size{"block_count", &config.layers},
        Size{"attention.head_count", &config.heads}, Size{"feed_forward_length", &config.intermediate},
        Size{"context_length", &config.max_positions}}) {
    const auto value = keys.size(size.key);
    if (!value) return error_of(value);
    *size.target = *value;
  }
  const auto kv_heads = keys.size_or("attention.head_count_kv", config.heads);
  const auto head_dim = keys.size_or("attention.key_length", std::max(1, config.hidden / config.heads));
  for (const auto* value : {&kv_heads, &head_dim})
    if (!*value) return error_of(*value);
  config.kv_heads = *kv_heads;
  config.head_dim = *head_dim;
  const auto value_dim = keys.size_or("attention.value_length", config.head_dim);
  if (!value_dim) return error_of(value_dim);
  if (*value_dim != config.head_dim)
    return keys.refuse("attention.value_length", "differs from the length of keys, which is not supported");
  if (config.heads % config.kv_heads != 0)
    return keys.refuse("attention.head_count", "(" + std::to_string(config.heads) +
                                                   ") is not a multiple of attention.head_count_kv (" +
                                                   std::to_string(config.kv_heads) + ")");
  if (config.head_dim % 2 != 0 || config.head_dim > 1024)
    return keys.refuse("attention.key_length",
                       "(" + std::to_string(config.head_dim) + " numbers a head) must be even and at most 1024");
  const GgufFile& file = keys.file();
  const auto embeddings = file.tensors().find("token_embd.weight");
  if (embeddings == file.tensors().end())
    return file.reject(
        "tensor 'token_embd.weight' is missing, so the file holds no model; give a whole model as one file");
  if (embeddings->second.shape.size() != 2)
    return file.reject("tensor 'token_embd.weight' is not a matrix; fetch the file again");
  config.vocab_size = static_cast<int>(std::min<std::int64_t>(embeddings->second.shape[0], 1 << 30));
  if (config.layers > 1000 || config.heads > 1024 || config.hidden > (1 << 20) || config.intermediate > (1 << 22) ||
      config.vocab_size > (1 << 24))
    return file.reject("sizes are larger than those of any supported model; fetch the file again");
  const auto ends_positions = [&](const char* key) {
    config.form.positions_of = "key '" + keys.key(key) + "' in " + file.name();
  };
  ends_positions("context_length");
  if (keys.has("attention.sliding_window")) {  // no effect until a position exceeds it
    const auto window = keys.file().whole_number(keys.key("attention.sliding_window"));
    if (!window) return error_of(window);
    if (config.architecture == Architecture::phi3) {
      set_windows(static_cast<int>(std::min<std::uint64_t>(*window, 1 << 30)), config);
      return {};
    }
    if (*window > 0 && *window < static_cast<std::uint64_t>(config.max_positions))
      ends_positions("attention.sliding_window");
    if (*window > 0)
      config.max_positions =
          static_cast<int>(std::min<std::uint64_t>(*window, static_cast<std::uint64_t>(config.max_positions)));
  }
  return {};
}

Status read_end_tokens(const GgufFile& file, ModelConfig& config) {
  const auto read = [&](const char* key) -> Expected<std::int32_t> {
    if (!file.has(key)) return -1;
    const auto id = file.whole_number(key);
    if (!id) return error_of(id);
    return *id < static_cast<std::uint64_t>(config.vocab_size) ? static_cast<std::int32_t>(*id) : -1;
  };
  for (const char* key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    const auto id = read(key);
    if (!id) return error_of(id);
    if (*id >= 0) config.eos_ids.push_back(*id);
  }
  const auto bos = read("tokenizer.ggml.bos_token_id");
  if (!bos) return error_of(bos);
  config.bos_id = *bos;
  std::ranges::sort(config.eos_ids);
  const auto repeated = std::ranges::unique(config.eos_ids);
  config.eos_ids.erase(repeated.begin(), repeated.end());
  return {};
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> layer_tensors{{
    {"attn_norm", "input_layernorm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
}};
/// Of Phi-3, instead of the ones above.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> fused_tensors{{
    {"attn_qkv", "self_attn.qkv_proj"},
    {"ffn_up", "mlp.gate_up_proj"},
}};

/// "blk.3.attn_q.bias" -> "model.layers.3.self_attn.q_proj.bias"; nothing for an unknown name.
std::optional<std::string> default_name(const std::string& name, Architecture architecture) {
  if (name == "token_embd.weight") return "model.embed_tokens.weight";
  if (name == "output_norm.weight") return "model.norm.weight";
  if (name == "output.weight") return "lm_head.weight";
  if (!name.starts_with("blk.")) return std::nullopt;
  const std::size_t after_layer = name.find('.', 4), before_kind = name.rfind('.');
  if (after_layer == std::string::npos || before_kind <= after_layer) return std::nullopt;
  const std::string layer = name.substr(4, after_layer - 4), kind = name.substr(before_kind);
  if (layer.empty() || layer.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  if (kind != ".weight" && kind != ".bias") return std::nullopt;
  const std::string_view inner = std::string_view(name).substr(after_layer + 1, before_kind - after_layer - 1);
  const auto in_layer = [&](std::string_view canonical) {
    return "model.layers." + layer + "." + std::string(canonical) + kind;
  };
  if (architecture == Architecture::phi3)
    for (const auto& [ggml, canonical] : fused_tensors)
      if (inner == ggml) return in_layer(canonical);
  for (const auto& [ggml, canonical] : layer_tensors)
    if (inner == ggml) return in_layer(canonical);
  return std::nullopt;
}

}  // namespace

Expected<ModelConfig> config_of_gguf(const GgufFile& file) {
  if (file.has("split.count")) {
    const auto parts = file.whole_number("split.count");
    if (!parts) return error_of(parts);
    if (*parts > 1)
      return file.reject("is one of " + std::to_string(*parts) +
                         " parts of a model; merge them with llama-gguf-split --merge");
  }
  ModelConfig config;
  const auto architecture = read_gguf_architecture(file);
  if (!architecture) return error_of(architecture);
  config.architecture = *architecture;
  const GgufKeys keys(file, std::string(*file.text("general.architecture")));
  if (keys.has("expert_count")) {
    const auto experts = file.whole_number(keys.key("expert_count"));
    if (!experts) return error_of(experts);
    if (*experts > 0)
      return keys.refuse("expert_count",
                         "is " + std::to_string(*experts) + ", but mixtures of experts are not supported");
  }
  KV_TRY(read_sizes(keys, config));
  KV_TRY(read_gguf_rope(keys, config));
  const auto eps = file.number(keys.key("attention.layer_norm_rms_epsilon"));
  if (!eps) return error_of(eps);
  if (!(static_cast<float>(*eps) > 0 && *eps < 1))
    return keys.refuse("attention.layer_norm_rms_epsilon", "must be between 0 and 1");
  config.rms_eps = static_cast<float>(*eps);
  config.qkv_bias = config.architecture == Architecture::qwen2 || any_layer_has(file, "attn_q.bias") ||
                    any_layer_has(file, "attn_k.bias") || any_layer_has(file, "attn_v.bias");
  config.output_bias = any_layer_has(file, "attn_output.bias");
  config.mlp_bias = any_layer_has(file, "ffn_gate.bias") || any_layer_has(file, "ffn_up.bias") ||
                    any_layer_has(file, "ffn_down.bias");
  config.qk_norm = config.architecture == Architecture::qwen3;
  config.tied_embeddings = !file.tensors().contains("output.weight");
  const std::string_view stored = file.tensors().at("token_embd.weight").type->name;
  config.dtype = stored == "F32" ? WeightType::fp32 : WeightType::bf16;
  KV_TRY(read_end_tokens(file, config));
  return config;
}

Expected<std::map<std::string, StoredTensor>> tensors_of_gguf(const GgufFile& file, const ModelConfig& config) {
  std::map<std::string, StoredTensor> tensors;
  for (const auto& [name, tensor] : file.tensors()) {
    if (is_rope_tensor(name)) continue;  // part of the config
    const auto canonical = default_name(name, config.architecture);
    if (!canonical)
      return file.reject("tensor '" + printable(name) +
                         "' belongs to no model of this architecture that is supported; use another model");
    if (widen_blocks(tensor.type->name) == nullptr)
      return file.reject("tensor '" + printable(name) + "' has type " + tensor.type->name + ", but " + widened_types() +
                         " are supported; quantize the model again to one of them");
    StoredTensor stored{tensor.type->name, tensor.shape, tensor.bytes};
    // Converters of this architecture interleave the two channels of each RoPE pair.
    if (config.architecture == Architecture::llama && canonical->find(".self_attn.") != std::string::npos) {
      if (canonical->find(".q_proj.") != std::string::npos) stored.paired_heads = config.heads;
      if (canonical->find(".k_proj.") != std::string::npos) stored.paired_heads = config.kv_heads;
    }
    tensors.emplace(*canonical, std::move(stored));
  }
  return tensors;
}

}  // namespace kvantage::inline model
