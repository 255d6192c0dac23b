#include "core/model/random_llama.h"

#include <string>
#include <utility>

#include "core/model/random_checkpoint.h"

namespace kvantage::inline model {

Status write_random_llama(const std::filesystem::path& folder, const RandomLlamaShape& shape, std::uint64_t seed) {
  RandomCheckpoint checkpoint(seed);
  const std::int64_t h = shape.hidden, f = shape.ffn;
  const int kv_heads = shape.kv_heads > 0 ? shape.kv_heads : shape.heads;
  const std::int64_t kv = h / shape.heads * kv_heads;
  const auto norm = [&](const std::string& name) { checkpoint.add("model." + name + ".weight", {h}, 0.2, 1); };
  const auto matrix = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    checkpoint.add_matrix("model." + name + ".weight", out, in);
  };
  checkpoint.add("model.embed_tokens.weight", {shape.vocab, h}, 0.5);
  norm("norm");
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::string name = "layers." + std::to_string(layer) + ".";
    norm(name + "input_layernorm");
    norm(name + "post_attention_layernorm");
    for (const auto& [part, out] :
         {std::pair{"q_proj", h}, std::pair{"k_proj", kv}, std::pair{"v_proj", kv}, std::pair{"o_proj", h}})
      matrix(name + "self_attn." + part, out, h);
    matrix(name + "mlp.gate_proj", f, h);
    matrix(name + "mlp.up_proj", f, h);
    matrix(name + "mlp.down_proj", h, f);
  }
  return checkpoint.write(folder, {{"architectures", {"LlamaForCausalLM"}},
                                   {"vocab_size", shape.vocab},
                                   {"hidden_size", shape.hidden},
                                   {"intermediate_size", shape.ffn},
                                   {"num_hidden_layers", shape.layers},
                                   {"num_attention_heads", shape.heads},
                                   {"num_key_value_heads", kv_heads},
                                   {"max_position_embeddings", shape.positions},
                                   {"rms_norm_eps", 1e-5},
                                   {"rope_theta", 10000.0},
                                   {"tie_word_embeddings", true},
                                   {"dtype", "bfloat16"}});
}

}  // namespace kvantage::inline model
