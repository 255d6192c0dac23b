// llama2.c's formats, for tests: a legacy .bin as a Hugging Face folder, and tok512.bin as a tokenizer.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/model/tiny_checkpoint.h"

namespace kvantage::test {

/// Reads numbers from a byte string one after another.
class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::vector<float> floats(std::size_t count) {
    std::vector<float> list(count);
    std::memcpy(list.data(), bytes_.data() + at_, count * sizeof(float));
    at_ += count * sizeof(float);
    return list;
  }
  std::string text(std::size_t count) {
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// Writes config.json and model.safetensors of a llama2.c legacy checkpoint whose classifier is the embedding.
inline void convert_llama2c(const std::filesystem::path& bin, const std::filesystem::path& folder) {
  const std::string bytes = *read_text_file(bin);
  ByteReader reader(bytes);
  int header[7];
  for (int& number : header) number = reader.take<std::int32_t>();
  const auto [dim, hidden, layers, heads, kv_heads, vocab, positions] = header;
  const int head_dim = dim / heads, kv = kv_heads * head_dim;
  const auto n = [](int a, int b = 1) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };

  NamedTensors tensors;
  tensors["model.embed_tokens.weight"] = {{vocab, dim}, reader.floats(n(vocab, dim))};
  const auto per_layer = [&](const std::string& name, std::vector<std::int64_t> shape, int rotary_rows = 0) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    for (int layer = 0; layer < layers; ++layer) {
      std::vector<float> numbers = reader.floats(static_cast<std::size_t>(count));
      // llama2.c rotates neighbors (2i, 2i+1), Hugging Face halves (i, i + head_dim/2): reorder each head's rows.
      std::vector<float> ordered = numbers;
      for (int row = 0; row < rotary_rows; ++row) {
        const int head = row / head_dim, at = row % head_dim;
        const int target = head * head_dim + at / 2 + at % 2 * (head_dim / 2);
        std::copy_n(&numbers[n(row, dim)], dim, &ordered[n(target, dim)]);
      }
      tensors["model.layers." + std::to_string(layer) + "." + name + ".weight"] = {shape, std::move(ordered)};
    }
  };
  per_layer("input_layernorm", {dim});
  per_layer("self_attn.q_proj", {dim, dim}, dim);
  per_layer("self_attn.k_proj", {kv, dim}, kv);
  per_layer("self_attn.v_proj", {kv, dim});
  per_layer("self_attn.o_proj", {dim, dim});
  per_layer("post_attention_layernorm", {dim});
  per_layer("mlp.gate_proj", {hidden, dim});
  per_layer("mlp.down_proj", {dim, hidden});
  per_layer("mlp.up_proj", {hidden, dim});
  tensors["model.norm.weight"] = {{dim}, reader.floats(n(dim))};
  write_file(folder / "model.safetensors", safetensors_bytes(tensors, false));
  write_file(folder / "config.json", Json{{"architectures", {"LlamaForCausalLM"}},
                                          {"vocab_size", vocab},
                                          {"hidden_size", dim},
                                          {"intermediate_size", hidden},
                                          {"num_hidden_layers", layers},
                                          {"num_attention_heads", heads},
                                          {"num_key_value_heads", kv_heads},
                                          {"rms_norm_eps", 1e-5},
                                          {"rope_theta", 10000.0},
                                          {"max_position_embeddings", positions},
                                          {"tie_word_embeddings", true},
                                          {"torch_dtype", "float32"},
                                          {"bos_token_id", 1},
                                          {"eos_token_id", 2}}
                                         .dump());
}

/// tok512.bin: pieces with scores, merged greedily by the best score.
class Llama2cTokenizer {
 public:
  explicit Llama2cTokenizer(const std::filesystem::path& path) {
    const std::string bytes = *read_text_file(path);
    ByteReader reader(bytes);
    reader.take<std::int32_t>();
    for (int id = 0; id < 512; ++id) {
      scores_.push_back(reader.take<float>());
      const auto length = reader.take<std::int32_t>();
      pieces_.push_back(reader.text(static_cast<std::size_t>(length)));
    }
  }

  /// ASCII text with the begin token and the leading space that llama2.c puts there.
  std::vector<std::int32_t> encode(const std::string& text) const {
    std::vector<std::int32_t> ids{1};
    for (const char letter : " " + text) ids.push_back(id(std::string(1, letter)));
    for (;;) {
      int best = -1, at = -1;
      for (std::size_t i = 1; i + 1 < ids.size(); ++i) {
        const int merged =
            id(pieces_[static_cast<std::size_t>(ids[i])] + pieces_[static_cast<std::size_t>(ids[i + 1])]);
        if (merged >= 0 &&
            (best < 0 || scores_[static_cast<std::size_t>(merged)] > scores_[static_cast<std::size_t>(best)])) {
          best = merged;
          at = static_cast<int>(i);
        }
      }
      if (best < 0) return ids;
      ids[static_cast<std::size_t>(at)] = best;
      ids.erase(ids.begin() + at + 1);
    }
  }

  std::string decode(std::span<const std::int32_t> ids) const {
    std::string text;
    for (const std::int32_t token : ids) {
      if (token <= 2) continue;
      const std::string& piece = pieces_[static_cast<std::size_t>(token)];
      if (token < 259)
        text += static_cast<char>(token - 3);
      else
        text += text.empty() && piece.starts_with(' ') ? piece.substr(1) : piece;
    }
    return text;
  }

 private:
  int id(const std::string& piece) const {
    for (std::size_t i = 259; i < pieces_.size(); ++i)
      if (pieces_[i] == piece) return static_cast<int>(i);
    return -1;
  }
  std::vector<float> scores_;
  std::vector<std::string> pieces_;
};

}  // namespace kvantage::test
