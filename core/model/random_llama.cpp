#include "core/model/random_llama.h"

#include <string>

#include "core/model/random_checkpoint.h"

namespace kvantage::inline model {

Status write_random_llama(const std::filesystem::path& folder, const RandomLlamaShape& shape, std::uint64_t seed) {
  RandomCheckpoint checkpoint(seed);
  const std::int64_t h = shape.hidden, f = shape.ffn;
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
    for (const char* part : {"q_proj", "k_proj", "v_proj", "o_proj"}) matrix(name + "self_attn." + part, h, h);
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
                                   {"num_key_value_heads", shape.heads},
                                   {"max_position_embeddings", shape.positions},
                                   {"rms_norm_eps", 1e-5},
                                   {"rope_theta", 10000.0},
                                   {"tie_word_embeddings", true},
                                   {"dtype", "bfloat16"}});
}

}  // namespace kvantage::inline model
