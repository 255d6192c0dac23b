// The checkpoints of tests/goldens/architectures as llama.cpp's converters write them, put together here a second time:
// names, keys, experts in stacks, norms with 1 added, order of rows.
#pragma once

#include <optional>
#include <regex>

#include "core/model/safetensors.h"
#include "tests/model/gguf_checkpoint.h"

namespace kvantage::test {

/// An architecture's name in GGUF files, by model_type.
inline std::string converted_architecture(const std::string& model_type) {
  static const std::map<std::string, std::string> names{
      {"gemma", "gemma"},      {"gemma2", "gemma2"},  {"gemma3_text", "gemma3"}, {"qwen3_moe", "qwen3moe"},
      {"mixtral", "llama"},    {"olmo2", "olmo2"},    {"granite", "granite"},    {"smollm3", "smollm3"},
      {"gpt_neox", "gptneox"}, {"gpt_oss", "gpt-oss"}};
  return names.at(model_type);
}

/// The name of a tensor that is stored as it is, or each expert's of a stack with its number.
struct ConvertedName {
  std::string name;
  std::optional<int> expert;
};

inline ConvertedName converted_name(const std::string& model_type, const std::string& folder_name) {
  static const std::vector<std::pair<std::string, std::string>> whole{
      {R"((model|gpt_neox)\.(embed_tokens|embed_in)\.)", "token_embd."},
      {R"((model\.norm|gpt_neox\.final_layer_norm)\.)", "output_norm."},
      {R"((lm_head|embed_out)\.)", "output."}};
  for (const auto& [pattern, to] : whole)
    if (const std::string name = std::regex_replace(folder_name, std::regex("^" + pattern), to); name != folder_name)
      return {name, {}};
  static const std::regex in_layer(R"(^(model|gpt_neox)\.layers\.(\d+)\.(.+)\.(weight|bias)$)"),
      of_expert(R"(^(mlp|block_sparse_moe)\.experts\.(\d+)\.(\w+)$)");
  std::smatch match;
  if (!std::regex_match(folder_name, match, in_layer)) qFatal("%s", folder_name.c_str());
  const std::string layer = match[2], inner = match[3], kind = match[4];
  const bool gemma = model_type == "gemma2" || model_type == "gemma3_text", olmo = model_type == "olmo2";
  const std::map<std::string, std::string> names{
      {"input_layernorm", "attn_norm"},
      {"post_attention_layernorm", gemma || olmo || model_type == "gpt_oss" ? "post_attention_norm" : "ffn_norm"},
      {"pre_feedforward_layernorm", "ffn_norm"},
      {"post_feedforward_layernorm", "post_ffw_norm"},
      {"self_attn.q_proj", "attn_q"},
      {"self_attn.k_proj", "attn_k"},
      {"self_attn.v_proj", "attn_v"},
      {"self_attn.o_proj", "attn_output"},
      {"self_attn.q_norm", "attn_q_norm"},
      {"self_attn.k_norm", "attn_k_norm"},
      {"attention.query_key_value", "attn_qkv"},
      {"attention.dense", "attn_output"},
      {"mlp.gate_proj", "ffn_gate"},
      {"mlp.up_proj", "ffn_up"},
      {"mlp.down_proj", "ffn_down"},
      {"mlp.dense_h_to_4h", "ffn_up"},
      {"mlp.dense_4h_to_h", "ffn_down"},
      {"mlp.gate", "ffn_gate_inp"},
      {"mlp.router", "ffn_gate_inp"},
      {"block_sparse_moe.gate", "ffn_gate_inp"}};
  const std::string block = "blk." + layer + ".";
  if (const auto found = names.find(inner); found != names.end()) return {block + found->second + "." + kind, {}};
  if (!std::regex_match(inner, match, of_expert)) qFatal("%s", folder_name.c_str());
  const std::map<std::string, std::string> parts{{"gate_proj", "gate"}, {"w1", "gate"},        {"up_proj", "up"},
                                                 {"w3", "up"},          {"down_proj", "down"}, {"w2", "down"}};
  return {block + "ffn_" + parts.at(match[3]) + "_exps." + kind, std::stoi(match[2])};
}

/// Tensors by their names in the file.
class ConvertedTensors {
 public:
  explicit ConvertedTensors(const GoldenCase& golden)
      : config_(golden.json["config"]), type_(config_["model_type"].get<std::string>()) {
    for (const auto& [name, tensor] : golden.tensors()) add(name, tensor);
    if (std::filesystem::exists(golden.packed)) add_packed(*read_text_file(golden.packed));
  }

  void write(GgufWriter& writer) const {
    for (const auto& [name, tensor] : plain_)
      writer.tensor(name, {tensor.shape.rbegin(), tensor.shape.rend()}, tensor.numbers);
    for (const auto& [name, packed] : mxfp4_) writer.tensor(name, packed.extents, 39, packed.bytes);
  }

 private:
  struct Packed {
    std::vector<std::uint64_t> extents;
    std::string bytes;
  };

  void add(const std::string& name, NamedTensor tensor) {
    if (type_ == "gpt_oss" && name.find(".self_attn.sinks") != std::string::npos) {
      plain_[layer_of(name) + "attn_sinks.weight"] = std::move(tensor);
      return;
    }
    if (type_ == "gpt_oss" && name.find(".experts.") != std::string::npos) return add_stack(name, tensor);
    if (type_.starts_with("gemma") && name.ends_with("norm.weight"))
      for (float& number : tensor.numbers) number += 1;
    const bool paired = type_ == "mixtral" || type_ == "granite" || type_ == "smollm3";
    if (paired && name.find("q_proj") != std::string::npos)
      tensor.numbers = paired_rows(tensor, config_["num_attention_heads"]);
    if (paired && name.find("k_proj") != std::string::npos)
      tensor.numbers = paired_rows(tensor, config_["num_key_value_heads"]);
    if (name.find("query_key_value") != std::string::npos) tensor.numbers = part_by_part(tensor);
    const ConvertedName converted = converted_name(type_, name);
    if (!converted.expert) {
      plain_[converted.name] = std::move(tensor);
      return;
    }
    NamedTensor& stack = plain_[converted.name];  // names of experts are in order: there are fewer than ten
    const std::int64_t experts = stack.shape.empty() ? 1 : stack.shape.front() + 1;
    stack.shape = {experts, tensor.shape[0], tensor.shape[1]};
    stack.numbers.insert(stack.numbers.end(), tensor.numbers.begin(), tensor.numbers.end());
  }

  static std::string layer_of(const std::string& name) {
    std::smatch match;
    static const std::regex number(R"(layers\.(\d+)\.)");
    if (!std::regex_search(name, match, number)) qFatal("%s", name.c_str());
    return "blk." + match[1].str() + ".";
  }

  /// gpt-oss: gate and up are one tensor, in which they alternate.
  static std::size_t parts_of(const std::string& name) { return name.find("down_proj") != std::string::npos ? 1 : 2; }
  static std::string stack_name(const std::string& name, std::size_t part) {
    return layer_of(name) + (parts_of(name) == 1 ? "ffn_down" : part == 0 ? "ffn_gate" : "ffn_up") + "_exps";
  }

  /// From [head, part, channel] to [part, head, channel].
  std::vector<float> part_by_part(const NamedTensor& tensor) const {
    const auto heads = config_["num_attention_heads"].get<std::size_t>(), parts = std::size_t{3};
    const std::size_t run = tensor.numbers.size() / (heads * parts);
    std::vector<float> numbers;
    for (std::size_t part = 0; part < parts; ++part)
      for (std::size_t head = 0; head < heads; ++head) {
        const auto first = tensor.numbers.begin() + static_cast<std::ptrdiff_t>((head * parts + part) * run);
        numbers.insert(numbers.end(), first, first + static_cast<std::ptrdiff_t>(run));
      }
    return numbers;
  }

  /// gpt-oss: [experts, in, out] becomes [experts, out, in], where gate and up alternate; so do biases.
  void add_stack(const std::string& name, const NamedTensor& tensor) {
    const bool bias = name.ends_with("_bias");
    const auto experts = static_cast<std::size_t>(tensor.shape[0]),
               columns = bias ? std::size_t{1} : static_cast<std::size_t>(tensor.shape[1]),
               rows = static_cast<std::size_t>(tensor.shape.back());
    const std::size_t step = parts_of(name);
    for (std::size_t part = 0; part < step; ++part) {
      NamedTensor& target = plain_[stack_name(name, part) + (bias ? ".bias" : ".weight")];
      target.shape = {tensor.shape[0], static_cast<std::int64_t>(rows / step)};
      if (!bias) target.shape.push_back(static_cast<std::int64_t>(columns));
      for (std::size_t e = 0; e < experts; ++e)
        for (std::size_t row = part; row < rows; row += step)
          for (std::size_t c = 0; c < columns; ++c)
            target.numbers.push_back(tensor.numbers[(e * columns + c) * rows + row]);
    }
  }

  /// Blocks of 32 codes, pairs of neighbors in a byte, with scales beside them: a file has the scale before the codes
  /// of a block, and code j and j + 16 in a byte.
  void add_packed(const std::string& file) {
    const auto tensors =
        *parse_safetensors({reinterpret_cast<const std::byte*>(file.data()), file.size()}, "packed.safetensors");
    for (const auto& [name, blocks] : tensors) {
      if (!name.ends_with("_blocks")) continue;
      const StoredTensor& scales = tensors.at(name.substr(0, name.size() - 6) + "scales");
      const std::size_t step = parts_of(name), per_row = static_cast<std::size_t>(blocks.shape[2]);
      const auto rows = static_cast<std::size_t>(blocks.shape[1]), experts = static_cast<std::size_t>(blocks.shape[0]);
      for (std::size_t part = 0; part < step; ++part) {
        Packed& target = mxfp4_[stack_name(name, part) + ".weight"];
        target.extents = {per_row * 32, rows / step, experts};
        for (std::size_t e = 0; e < experts; ++e)
          for (std::size_t row = part; row < rows; row += step)
            for (std::size_t b = 0; b < per_row; ++b) {
              const std::size_t block = (e * rows + row) * per_row + b;
              target.bytes += static_cast<char>(scales.bytes[block]);
              target.bytes += repacked(blocks.bytes.subspan(block * 16, 16));
            }
      }
    }
  }

  static std::string repacked(std::span<const std::byte> codes) {
    const auto code = [&](std::size_t i) {
      const auto byte = std::to_integer<unsigned>(codes[i / 2]);
      return i % 2 == 0 ? byte & 15U : byte >> 4;
    };
    std::string bytes;
    for (std::size_t i = 0; i < 16; ++i) bytes += static_cast<char>(code(i) | code(i + 16) << 4);
    return bytes;
  }

  const Json& config_;
  std::string type_;
  std::map<std::string, NamedTensor> plain_;
  std::map<std::string, Packed> mxfp4_;
};

/// Keys that only some architectures have.
inline void write_special_keys(GgufWriter& writer, const std::string& architecture, const Json& config) {
  const auto key = [&](const char* name) { return architecture + "." + name; };
  const auto copied = [&](const char* name, const char* field) {
    if (config.contains(field) && config[field].is_number()) writer.f32(key(name), config[field].get<float>());
  };
  const auto counted = [&](const char* name, const char* field) {
    if (config.contains(field) && config[field].is_number()) writer.u32(key(name), config[field].get<std::uint32_t>());
  };
  counted("attention.sliding_window", "sliding_window");
  copied("attn_logit_softcapping", "attn_logit_softcapping");
  copied("final_logit_softcapping", "final_logit_softcapping");
  copied("attention.scale", "attention_multiplier");
  copied("embedding_scale", "embedding_multiplier");
  copied("residual_scale", "residual_multiplier");
  copied("logit_scale", "logits_scaling");
  counted("expert_count", "num_experts");
  counted("expert_count", "num_local_experts");
  if (config.contains("num_experts") || config.contains("num_local_experts"))
    writer.u32(key("expert_used_count"), config.value("num_experts_per_tok", 2U));
  counted("expert_feed_forward_length", "moe_intermediate_size");
  if (architecture == "gpt-oss") counted("expert_feed_forward_length", "intermediate_size");
  if (architecture == "gptneox") writer.flag(key("use_parallel_residual"), config.value("use_parallel_residual", true));
}

/// A whole file. `writer`: with keys or tensors of the caller's.
inline std::string converted_bytes(const GoldenCase& golden, GgufWriter writer = GgufWriter()) {
  const Json& config = golden.json["config"];
  const std::string architecture = converted_architecture(config["model_type"]);
  write_size_keys(writer, architecture, config);
  write_special_keys(writer, architecture, config);
  write_rope_keys(writer, architecture, config, head_dim_of(config));
  writer.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.eos_token_id", 2);
  ConvertedTensors(golden).write(writer);
  return writer.bytes();
}

}  // namespace kvantage::test
