// Models of random packed blocks, one for each type of tensor: the same bytes on every machine, for what ggml computes
// with them is kept in tests/goldens/gguf_logits.json (tests/parity/make_gguf_logits.py).
#pragma once

#include <bit>
#include <cmath>

#include "tests/model/gguf_checkpoint.h"

namespace kvantage::test {

struct QuantizedType {
  const char* name;
  std::uint32_t number;  // ggml's
  std::size_t block_numbers, block_bytes;
  std::vector<std::size_t> scales;  // where a block has its half-precision scale, and its minimum
  double spread;                    // of a code times its scale within the block, for a scale of 1
  double offset;                    // minimum over scale, so that numbers are around zero
};

inline const std::vector<QuantizedType>& quantized_types() {
  static const std::vector<QuantizedType> types{
      {"F16", 1, 1, 2, {}, 0, 0},
      {"BF16", 30, 1, 2, {}, 0, 0},
      {"Q8_0", 8, 32, 34, {0}, 73.9, 0},
      {"Q4_0", 2, 32, 18, {0}, 4.6, 0},
      {"Q4_1", 3, 32, 20, {0, 2}, 4.6, -7.5},
      {"Q5_0", 6, 32, 22, {0}, 9.2, 0},
      {"Q5_1", 7, 32, 24, {0, 2}, 9.2, -15.5},
      {"Q4_K", 12, 256, 144, {0, 2}, 280, 7.5},
      {"Q5_K", 13, 256, 176, {0, 2}, 570, 15.5},
      {"Q6_K", 14, 256, 210, {208}, 1367, 0},
  };
  return types;
}

/// SplitMix64 of a counter.
inline std::uint64_t mixed(std::uint64_t at) {
  std::uint64_t z = at * 0x9E3779B97F4A7C15ULL + 0x6A09E667F3BCC909ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// `rows` x `columns` random numbers with a standard deviation of about `deviation`, packed.
inline std::string random_packed(const QuantizedType& type, std::size_t rows, std::size_t columns, double deviation,
                                 std::uint64_t seed) {
  std::string bytes;
  std::uint64_t at = seed << 32;
  float ignored = 0;
  for (std::size_t block = 0; block < rows * columns / type.block_numbers; ++block) {
    if (type.block_numbers == 1) {  // eight random bits per number: exact in both
      const float number = static_cast<float>((static_cast<double>(mixed(at++) >> 56) - 127.5) / 128 * 1.7 * deviation);
      if (type.number == 1)
        bytes += half_of(number, ignored);
      else
        bytes += gguf_number(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16));
      continue;
    }
    std::string one;
    for (std::size_t i = 0; i < type.block_bytes; ++i) one += static_cast<char>(mixed(at++) >> 56);
    // Between half and one and a half of the deviation, one block louder than the other.
    const double scale = (0.5 + static_cast<double>(mixed(at++) >> 54) / 1024) * deviation / type.spread;
    one.replace(type.scales[0], 2, half_of(static_cast<float>(scale), ignored));
    if (type.scales.size() > 1)
      one.replace(type.scales[1], 2, half_of(static_cast<float>(scale * type.offset), ignored));
    bytes += one;
  }
  return bytes;
}

constexpr std::size_t quantized_hidden = 256, quantized_vocabulary = 64;

/// A llama of two layers whose matrices are all of this type.
inline std::string quantized_model(const QuantizedType& type) {
  constexpr std::size_t hidden = quantized_hidden, kv = 128, inner = 512, vocabulary = quantized_vocabulary;
  GgufWriter writer;
  writer.text("general.architecture", "llama")
      .u32("llama.embedding_length", hidden)
      .u32("llama.block_count", 2)
      .u32("llama.feed_forward_length", inner);
  writer.u32("llama.attention.head_count", 4)
      .u32("llama.attention.head_count_kv", 2)
      .u32("llama.context_length", 512)
      .u32("llama.vocab_size", vocabulary);
  writer.u32("llama.attention.key_length", 64)
      .u32("llama.attention.value_length", 64)
      .u32("llama.rope.dimension_count", 64);
  writer.f32("llama.attention.layer_norm_rms_epsilon", 1e-5F)
      .f32("llama.rope.freq_base", 10000)
      .text("tokenizer.ggml.model", "no_vocab");
  std::uint64_t seed = 1;
  const auto matrix = [&](const std::string& name, std::size_t rows, std::size_t columns) {
    writer.tensor(name + ".weight", {columns, rows}, type.number,
                  random_packed(type, rows, columns, 1 / std::sqrt(static_cast<double>(columns)), seed++));
  };
  const auto norm = [&](const std::string& name) {
    std::vector<float> numbers;
    for (std::size_t i = 0; i < hidden; ++i)
      numbers.push_back(0.75F + static_cast<float>(mixed((seed << 32) + i) >> 56) / 512);
    ++seed;
    writer.tensor(name + ".weight", {hidden}, numbers);
  };
  matrix("token_embd", vocabulary, hidden);
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    norm(layer + "attn_norm");
    matrix(layer + "attn_q", hidden, hidden);
    matrix(layer + "attn_k", kv, hidden);
    matrix(layer + "attn_v", kv, hidden);
    matrix(layer + "attn_output", hidden, hidden);
    norm(layer + "ffn_norm");
    matrix(layer + "ffn_gate", inner, hidden);
    matrix(layer + "ffn_up", inner, hidden);
    matrix(layer + "ffn_down", hidden, inner);
  }
  norm("output_norm");
  matrix("output", vocabulary, hidden);
  return writer.bytes();
}

}  // namespace kvantage::test
