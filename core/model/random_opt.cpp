#include "core/model/random_opt.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/model/kernels/kernels.h"

namespace kvantage {
namespace {

/// Tensors one behind the other, as a .safetensors file wants them: ascending by name.
class Checkpoint {
 public:
  explicit Checkpoint(std::uint64_t seed) : random_(seed) {}
  void add(const std::string& name, std::vector<std::int64_t> extents, double half_width, double mean = 0) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    const std::size_t begin = data_.size();
    for (std::int64_t i = 0; i < count; ++i) {
      const Bf16 number = to_bf16(static_cast<float>((2 * random_.uniform() - 1) * half_width + mean));
      data_.append(reinterpret_cast<const char*>(&number), sizeof(number));
    }
    header_["model.decoder." + name] = {{"dtype", "BF16"}, {"shape", extents}, {"data_offsets", {begin, data_.size()}}};
  }
  std::string bytes() const {
    std::string text = header_.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string length(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
    return length + text + data_;
  }

 private:
  Random random_;
  OrderedJson header_;
  std::string data_;
};

}  // namespace

Status write_random_opt(const std::filesystem::path& folder, const RandomOptShape& shape, std::uint64_t seed) {
  Checkpoint checkpoint(seed);
  const std::int64_t h = shape.hidden, f = shape.ffn;
  const auto norm = [&](const std::string& name) {
    checkpoint.add(name + ".weight", {h}, 0.2, 1);
    checkpoint.add(name + ".bias", {h}, 0.2);
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    checkpoint.add(name + ".weight", {out, in}, 1.8 / std::sqrt(static_cast<double>(in)));
    checkpoint.add(name + ".bias", {out}, 0.3);
  };
  checkpoint.add("embed_tokens.weight", {shape.vocab, h}, 0.5);
  checkpoint.add("embed_positions.weight", {shape.positions + 2, h}, 1.0);
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
                       {"word_embed_proj_dim", shape.hidden}, {"dtype", "bfloat16"}};
  KV_TRY(write_text_file(folder / "config.json", config.dump()));
  return write_text_file(folder / "model.safetensors", checkpoint.bytes());
}

}  // namespace kvantage
