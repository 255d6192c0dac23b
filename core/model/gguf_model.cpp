#include "core/model/gguf_model.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/base/json.h"
#include "core/model/gguf/gguf_architecture.h"
#include "core/model/gguf/gguf_names.h"
#include "core/model/gguf_blocks.h"
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
  config.form.file = {.positions_of = "key '" + keys.key("context_length") + "' in " + file.name(), .gguf = true};
  return {};
}

/// Of linear layers, by the tensors that are there.
void read_biases(const GgufFile& file, ModelConfig& config) {
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return any_layer_has(file, name); });
  };
  config.qkv_bias = config.qkv_bias || any({"attn_q.bias", "attn_k.bias", "attn_v.bias", "attn_qkv.bias"});
  config.output_bias = any({"attn_output.bias"});
  config.mlp_bias = any({"ffn_gate.bias", "ffn_up.bias", "ffn_down.bias", "ffn_gate_exps.bias", "ffn_up_exps.bias",
                         "ffn_down_exps.bias"});
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

/// A tensor by its name in the folder, or each expert of a stack.
Status add_tensor(const GgufFile& file, const std::string& name, const GgufTensor& tensor, const GgufTarget& target,
                  std::map<std::string, StoredTensor>& tensors) {
  StoredTensor stored{tensor.type->name, tensor.shape, tensor.bytes};
  if (!target.stack) {
    tensors.emplace(target.names.front(), std::move(stored));
    return {};
  }
  if (tensor.shape.front() != static_cast<std::int64_t>(target.names.size()) || tensor.shape.size() < 2)
    return file.reject("tensor '" + printable(name) + "' is " + stored.describe() + " but holds " +
                       std::to_string(target.names.size()) + " experts by its keys; convert the model again");
  stored.shape.erase(stored.shape.begin());
  const std::size_t bytes = tensor.bytes.size() / target.names.size();
  for (std::size_t expert = 0; expert < target.names.size(); ++expert) {
    stored.bytes = tensor.bytes.subspan(expert * bytes, bytes);
    tensors.emplace(target.names[expert], stored);
  }
  return {};
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
  KV_ASSIGN(const GgufArchitectureRow* const row, gguf_architecture(file));
  ModelConfig config;
  config.architecture = row->architecture;
  const GgufKeys keys(file, row->name);
  KV_TRY(read_sizes(keys, config));
  KV_TRY(row->read(keys, config));
  KV_TRY(read_gguf_rope(keys, row->form.partly, config));
  const char* const eps_key =
      row->form.layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
  KV_ASSIGN(const double eps, file.number(keys.key(eps_key)));
  if (!(static_cast<float>(eps) > 0 && eps < 1)) return keys.refuse(eps_key, "must be between 0 and 1");
  config.rms_eps = static_cast<float>(eps);
  read_biases(file, config);
  config.tied_embeddings = !file.tensors().contains("output.weight");
  const std::string_view stored = file.tensors().at("token_embd.weight").type->name;
  config.dtype = stored == "F32" ? WeightType::fp32 : WeightType::bf16;
  KV_TRY(read_end_tokens(file, config));
  return config;
}

Expected<std::map<std::string, StoredTensor>> tensors_of_gguf(const GgufFile& file, const ModelConfig& config) {
  KV_ASSIGN(const GgufArchitectureRow* const row, gguf_architecture(file));
  const GgufNames names(config);
  std::map<std::string, StoredTensor> tensors;
  for (const auto& [name, tensor] : file.tensors()) {
    if (is_rope_tensor(name)) continue;  // part of the config
    const auto target = names.find(name);
    if (!target)
      return file.reject("tensor '" + printable(name) +
                         "' belongs to no model of this architecture that is supported; use another model");
    if (widen_blocks(tensor.type->name) == nullptr)
      return file.reject("tensor '" + printable(name) + "' has type " + tensor.type->name + ", but " + widened_types() +
                         " are supported; quantize the model again to one of them");
    KV_TRY(add_tensor(file, name, tensor, *target, tensors));
    if (row->form.paired && target->heads != GgufTarget::Heads::none)
      tensors.at(target->names.front()).paired_heads =
          target->heads == GgufTarget::Heads::query ? config.heads : config.kv_heads;
  }
  return tensors;
}

}  // namespace kvantage::inline model
