#include "core/model/random_opt.h"

#include <string>

#include "core/model/random_checkpoint.h"

namespace kvantage::inline model {

Status write_random_opt(const std::filesystem::path& folder, const RandomOptShape& shape, std::uint64_t seed) {
  RandomCheckpoint checkpoint(seed);
  const std::string decoder = "model.decoder.";
  const std::int64_t h = shape.hidden, f = shape.ffn;
  const auto norm = [&](const std::string& name) {
    checkpoint.add(decoder + name + ".weight", {h}, 0.2, 1);
    checkpoint.add(decoder + name + ".bias", {h}, 0.2);
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    checkpoint.add_matrix(decoder + name + ".weight", out, in);
    checkpoint.add(decoder + name + ".bias", {out}, 0.3);
  };
  checkpoint.add(decoder + "embed_tokens.weight", {shape.vocab, h}, 0.5);
  checkpoint.add(decoder + "embed_positions.weight", {shape.positions + 2, h}, 1.0);
  norm("final_layer_norm");
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::string name = "layers." + std::to_string(layer) + ".";
    norm(name + "self_attn_layer_norm");
    norm(name + "final_layer_norm");
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"}) linear(name + "self_attn." + part, h, h);
    linear(name + "fc1", f, h);
    linear(name + "fc2", h, f);
  }
  return checkpoint.write(folder, {{"architectures", {"OPTForCausalLM"}},
                                   {"vocab_size", shape.vocab},
                                   {"hidden_size", shape.hidden},
                                   {"ffn_dim", shape.ffn},
                                   {"num_hidden_layers", shape.layers},
                                   {"num_attention_heads", shape.heads},
                                   {"max_position_embeddings", shape.positions},
                                   {"word_embed_proj_dim", shape.hidden},
                                   {"dtype", "bfloat16"}});
}

}  // namespace kvantage::inline model
