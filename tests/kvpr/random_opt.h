// An OPT checkpoint of a given shape with random weights, for tests and benches that need its arithmetic and not its answers.
#pragma once

#include "tests/model/tiny_checkpoint.h"

namespace kvantage::test {

struct OptShape {
  int hidden = 512, heads = 8, layers = 4, ffn = 512, vocab = 256, positions = 4096;
};

inline void write_random_opt(const std::filesystem::path& folder, const OptShape& shape, bool bf16) {
  Random random(11);
  NamedTensors tensors;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> extents, double half_width, double mean = 0) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    NamedTensor& tensor = tensors["model.decoder." + name];
    tensor.shape = std::move(extents);
    tensor.numbers.resize(static_cast<std::size_t>(count));
    for (float& number : tensor.numbers) number = static_cast<float>((2 * random.uniform() - 1) * half_width + mean);
  };
  const std::int64_t h = shape.hidden, f = shape.ffn;
  const auto norm = [&](const std::string& name) {
    add(name + ".weight", {h}, 0.2, 1);
    add(name + ".bias", {h}, 0.2);
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in}, 1.8 / std::sqrt(static_cast<double>(in)));
    add(name + ".bias", {out}, 0.3);
  };
  add("embed_tokens.weight", {shape.vocab, h}, 0.5);
  add("embed_positions.weight", {shape.positions + 2, h}, 1.0);
  norm("final_layer_norm");
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::string name = "layers." + std::to_string(layer) + ".";
    norm(name + "self_attn_layer_norm");
    norm(name + "final_layer_norm");
    for (const char* part : {"q_proj", "k_proj", "v_proj", "out_proj"}) linear(name + "self_attn." + part, h, h);
    linear(name + "fc1", f, h);
    linear(name + "fc2", h, f);
  }
  const Json config = {{"architectures", {"OPTForCausalLM"}}, {"vocab_size", shape.vocab}, {"hidden_size", shape.hidden}, {"ffn_dim", shape.ffn},
                       {"num_hidden_layers", shape.layers}, {"num_attention_heads", shape.heads}, {"max_position_embeddings", shape.positions},
                       {"word_embed_proj_dim", shape.hidden}, {"dtype", bf16 ? "bfloat16" : "float32"}};
  write_file(folder / "config.json", config.dump());
  write_file(folder / "model.safetensors", safetensors_bytes(tensors, bf16));
}

}  // namespace kvantage::test
