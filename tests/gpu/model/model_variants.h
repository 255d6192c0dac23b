// Checkpoints of random weights in all forms that models here take, small enough for emulated kernels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/random_checkpoint.h"
#include "core/model/random_llama.h"
#include "core/model/random_opt.h"
#include "tests/gpu/gpu_check.h"

namespace kvantage::test {

struct Variant {
  std::string name, architecture;
  int hidden = 96, heads = 6, kv_heads = 2, head_dim = 16, layers = 3, ffn = 160, vocab = 211;
  bool biases = false, qk_norm = false, tied = true;
  Json rope = nullptr;  // rope_scaling
};

/// Llama-like: RMSNorm, gated MLP, RoPE.
inline Status write_variant(const std::filesystem::path& folder, const Variant& variant, std::uint64_t seed) {
  RandomCheckpoint checkpoint(seed);
  const std::int64_t h = variant.hidden, f = variant.ffn, q = std::int64_t{variant.heads} * variant.head_dim,
                     kv = std::int64_t{variant.kv_heads} * variant.head_dim;
  checkpoint.add("model.embed_tokens.weight", {variant.vocab, h}, 0.5);
  if (!variant.tied) checkpoint.add("lm_head.weight", {variant.vocab, h}, 0.5);
  checkpoint.add("model.norm.weight", {h}, 0.2, 1);
  for (int layer = 0; layer < variant.layers; ++layer) {
    const std::string name = "model.layers." + std::to_string(layer) + ".";
    checkpoint.add(name + "input_layernorm.weight", {h}, 0.2, 1);
    checkpoint.add(name + "post_attention_layernorm.weight", {h}, 0.2, 1);
    const auto linear = [&](const std::string& part, std::int64_t out, std::int64_t in, bool biased) {
      checkpoint.add_matrix(name + part + ".weight", out, in);
      if (biased) checkpoint.add(name + part + ".bias", {out}, 0.5);
    };
    linear("self_attn.q_proj", q, h, variant.biases);
    linear("self_attn.k_proj", kv, h, variant.biases);
    linear("self_attn.v_proj", kv, h, variant.biases);
    linear("self_attn.o_proj", h, q, variant.biases && variant.architecture == "LlamaForCausalLM");
    if (variant.qk_norm) {
      checkpoint.add(name + "self_attn.q_norm.weight", {variant.head_dim}, 0.3, 1);
      checkpoint.add(name + "self_attn.k_norm.weight", {variant.head_dim}, 0.3, 1);
    }
    const bool mlp = variant.biases && variant.architecture == "LlamaForCausalLM";
    linear("mlp.gate_proj", f, h, mlp);
    linear("mlp.up_proj", f, h, mlp);
    linear("mlp.down_proj", h, f, mlp);
  }
  Json config{{"architectures", {variant.architecture}},
              {"vocab_size", variant.vocab},
              {"hidden_size", h},
              {"intermediate_size", f},
              {"num_hidden_layers", variant.layers},
              {"num_attention_heads", variant.heads},
              {"num_key_value_heads", variant.kv_heads},
              {"head_dim", variant.head_dim},
              {"max_position_embeddings", 2048},
              {"rms_norm_eps", 1e-5},
              {"rope_theta", 10000.0},
              {"tie_word_embeddings", variant.tied},
              {"dtype", "bfloat16"}};
  if (variant.architecture == "LlamaForCausalLM") config["attention_bias"] = config["mlp_bias"] = variant.biases;
  if (!variant.rope.is_null()) config["rope_scaling"] = variant.rope;
  return checkpoint.write(folder, config);
}

/// OPT with norms after attention and MLP (OPT-350m's form), which write_random_opt() does not make.
inline Status write_opt_after(const std::filesystem::path& folder, std::uint64_t seed) {
  RandomCheckpoint checkpoint(seed);
  const std::string decoder = "model.decoder.";
  const std::int64_t h = 64, f = 128, vocab = 150, positions = 512;
  checkpoint.add(decoder + "embed_tokens.weight", {vocab, h}, 0.5);
  checkpoint.add(decoder + "embed_positions.weight", {positions + 2, h}, 1.0);
  for (int layer = 0; layer < 3; ++layer) {
    const std::string name = decoder + "layers." + std::to_string(layer) + ".";
    for (const char* norm : {"self_attn_layer_norm", "final_layer_norm"}) {
      checkpoint.add(name + norm + ".weight", {h}, 0.2, 1);
      checkpoint.add(name + norm + ".bias", {h}, 0.2);
    }
    const auto linear = [&](const std::string& part, std::int64_t out, std::int64_t in) {
      checkpoint.add_matrix(name + part + ".weight", out, in);
      checkpoint.add(name + part + ".bias", {out}, 0.3);
    };
    for (const char* part : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj"})
      linear(part, h, h);
    linear("fc1", f, h);
    linear("fc2", h, f);
  }
  return checkpoint.write(folder, {{"architectures", {"OPTForCausalLM"}},
                                   {"vocab_size", vocab},
                                   {"hidden_size", h},
                                   {"ffn_dim", f},
                                   {"num_hidden_layers", 3},
                                   {"num_attention_heads", 4},
                                   {"max_position_embeddings", positions},
                                   {"word_embed_proj_dim", h},
                                   {"do_layer_norm_before", false},
                                   {"dtype", "bfloat16"}});
}

/// Writes all of them below `folder`; their folders.
template <class Folder>
std::vector<std::pair<std::string, std::filesystem::path>> all_variants(const Folder& scratch) {
  std::vector<std::pair<std::string, std::filesystem::path>> all;
  const std::vector<Variant> llamas{
      {.name = "llama, GQA 3:1", .architecture = "LlamaForCausalLM"},
      {.name = "llama 3.1's RoPE, head_dim 64, own head",
       .architecture = "LlamaForCausalLM",
       .hidden = 128,
       .heads = 4,
       .kv_heads = 1,
       .head_dim = 64,
       .tied = false,
       .rope = {{"rope_type", "llama3"},
                {"factor", 8.0},
                {"low_freq_factor", 1.0},
                {"high_freq_factor", 4.0},
                {"original_max_position_embeddings", 64}}},
      {.name = "llama with biases everywhere", .architecture = "LlamaForCausalLM", .biases = true},
      {.name = "mistral, head_dim 128",
       .architecture = "MistralForCausalLM",
       .heads = 2,
       .kv_heads = 1,
       .head_dim = 128},
      {.name = "qwen2, biases", .architecture = "Qwen2ForCausalLM", .biases = true},
      {.name = "qwen3, q and k normed",
       .architecture = "Qwen3ForCausalLM",
       .heads = 4,
       .head_dim = 40,
       .qk_norm = true}};
  for (const Variant& variant : llamas) {
    all.emplace_back(variant.name, scratch.make(std::to_string(all.size())));
    must(write_variant(all.back().second, variant, all.size()));
  }
  all.emplace_back("llama, MHA", scratch.make("mha"));
  must(write_random_llama(all.back().second,
                          {.hidden = 96, .heads = 3, .layers = 2, .ffn = 200, .vocab = 180, .positions = 1024}, 11));
  all.emplace_back("opt", scratch.make("opt"));
  must(write_random_opt(all.back().second,
                        {.hidden = 96, .heads = 4, .layers = 3, .ffn = 160, .vocab = 180, .positions = 1024}, 12));
  all.emplace_back("opt, norms after", scratch.make("opt_after"));
  must(write_opt_after(all.back().second, 13));
  return all;
}

}  // namespace kvantage::test
