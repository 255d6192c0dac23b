#include "core/model/gguf/gguf_names.h"

#include <array>
#include <charconv>
#include <utility>

#include "core/model/architectures/architecture.h"

namespace kvantage::inline model_gguf {
namespace {

WeightNames names_of(const ModelConfig& config, int layer) { return row_of(config.architecture).names(config, layer); }

/// A whole number from 0, in its shortest form.
std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || number < 0 || std::to_string(number) != text) return std::nullopt;
  return number;
}

/// Of a norm or matrix; empty: the architecture has none.
std::string name_in_layer(const WeightNames& names, const ModelConfig& config, std::string_view inner) {
  const NormNames& norms = names.norms;
  const AttentionNames& attention = names.attention;
  const MlpNames& mlp = names.mlp;
  const bool gpt_oss = config.architecture == Architecture::gpt_oss;
  const bool fused_heads = attention.query.fused.of != 0, fused_mlp = mlp.gate.fused.of != 0;
  const std::string none;
  const std::array<std::pair<std::string_view, const std::string*>, 16> table{{
      {"attn_norm", &norms.input},
      {gpt_oss ? "post_attention_norm" : "ffn_norm", &norms.attention},
      {gpt_oss ? "" : "post_attention_norm", &norms.attention_output},
      {"post_ffw_norm", &norms.mlp_output},
      {"attn_q_norm", config.qk_norm ? &norms.query : &none},
      {"attn_k_norm", config.qk_norm ? &norms.key : &none},
      {"attn_qkv", fused_heads ? &attention.query.name : &none},
      {"attn_q", fused_heads ? &none : &attention.query.name},
      {"attn_k", fused_heads ? &none : &attention.key.name},
      {"attn_v", fused_heads ? &none : &attention.value.name},
      {"attn_output", &attention.output.name},
      {"attn_sinks", config.form.sinks ? &attention.sinks : &none},
      {"ffn_gate", fused_mlp ? &none : &mlp.gate.name},
      {"ffn_up", &mlp.up.name},
      {"ffn_down", &mlp.down.name},
      {"ffn_gate_inp", &names.router},
  }};
  for (const auto& [ggml, folder] : table)
    if (inner == ggml) return *folder;
  return {};
}

}  // namespace

std::optional<GgufTarget> GgufNames::find(std::string_view name) const {
  const std::size_t before_kind = name.rfind('.');
  if (before_kind == std::string_view::npos) return std::nullopt;
  const std::string_view kind = name.substr(before_kind), stem = name.substr(0, before_kind);
  if (kind != ".weight" && kind != ".bias") return std::nullopt;
  const ModelNames model = names_of(config_, 0).model;
  for (const auto& [ggml, folder] : {std::pair{"token_embd", &model.embeddings},
                                     std::pair{"output_norm", &model.final_norm}, std::pair{"output", &model.head}})
    if (stem == ggml) return GgufTarget{.names = {*folder + std::string(kind)}};
  constexpr std::string_view block = "blk.";
  if (!stem.starts_with(block)) return std::nullopt;
  const std::size_t after_layer = stem.find('.', block.size());
  if (after_layer == std::string_view::npos) return std::nullopt;
  const auto layer = number_of(stem.substr(block.size(), after_layer - block.size()));
  if (!layer) return std::nullopt;
  return find_in_layer(*layer, stem.substr(after_layer + 1), kind);
}

std::optional<GgufTarget> GgufNames::find_in_layer(int layer, std::string_view inner, std::string_view kind) const {
  GgufTarget target;
  constexpr std::string_view stacked = "_exps";
  if (inner.ends_with(stacked) && with_experts_.form.experts.count > 0) {
    const std::string_view which = inner.substr(0, inner.size() - stacked.size());
    target.stack = true;
    for (const MlpNames& expert : names_of(with_experts_, layer).experts) {
      const MatrixName* const matrix = which == "ffn_gate"   ? &expert.gate
                                       : which == "ffn_up"   ? &expert.up
                                       : which == "ffn_down" ? &expert.down
                                                             : nullptr;
      if (matrix == nullptr) return std::nullopt;
      target.names.push_back(matrix->name + std::string(kind));
    }
    return target;
  }
  const std::string name = name_in_layer(names_of(config_, layer), config_, inner);
  if (name.empty()) return std::nullopt;
  target.names.push_back(inner == "attn_sinks" ? name : name + std::string(kind));
  if (inner == "attn_q") target.heads = GgufTarget::Heads::query;
  if (inner == "attn_k") target.heads = GgufTarget::Heads::key;
  return target;
}

}  // namespace kvantage::inline model_gguf
