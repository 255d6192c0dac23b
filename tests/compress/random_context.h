// A prefilled context of random numbers with everything that scorers may ask for: keys and values in every layer and
// head, queries, a repeat pass and means of a calibration.
#pragma once

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "core/base/random.h"
#include "core/compress/method.h"

namespace kvantage::test {

inline std::shared_ptr<const Method> method_of(const std::string& text) {
  auto method = parse_method(text);
  if (!method) qFatal("%s", method.error().message.c_str());
  return *method;
}

/// Keys, then values of one head as held.
inline std::vector<std::byte> bytes_of_head(const KvCache& cache, int layer, int head) {
  const std::size_t rows = static_cast<std::size_t>(cache.kept(layer, head)) * cache.shape().bytes_per_head_token() / 2;
  std::vector<std::byte> bytes(2 * rows);
  cache.gather_head(layer, head, bytes.data(), bytes.data() + rows, nullptr);
  return bytes;
}

/// simlayerkv and duo_attention choose how many tokens stay, whatever the removed fraction is.
inline bool counts_tokens(const std::string& method) {
  return !method.starts_with("simlayerkv") && !method.starts_with("duo_attention");
}

/// Whether a budget or wrapper takes no such scorer, by the rules of docs/methods.md.
inline bool refuses(const std::string& wrapper, const MethodInfo& scorer) {
  const ObservationNeeds& needs = scorer.needs;
  if (!counts_tokens(scorer.name)) return true;
  if (wrapper.starts_with("critical")) return scorer.name == "compactor";
  if (wrapper == "chunk") return needs.repeat_pass || scorer.name == "compactor";
  return wrapper == "block" && (needs.window_queries > 0 || needs.repeat_pass || needs.calibration ||
                                needs.hidden_states || needs.output_norms);
}

/// The last rows of tests are written with three query heads to each KV head.
inline constexpr int query_group = 3;

struct RandomContext {
  BlockPool pool;
  KvCache cache{pool};
  Observation observed;

  RandomContext(KvShape shape, int tokens, int window = every_query, int block_tokens = 32, std::uint64_t seed = 99)
      : pool(shape, block_tokens, pool_bytes(shape, tokens, block_tokens)) {
    Random random(seed);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
    std::iota(positions.begin(), positions.end(), 0);
    const auto floats = static_cast<std::size_t>(tokens * shape.kv_heads * shape.head_dim);
    for (int l = 0; l < shape.layers; ++l) {
      const auto keys = numbers(floats, shape.type, random);
      const auto values = numbers(floats, shape.type, random);
      if (!cache.append(l, keys, values, positions)) qFatal("append");
    }
    const auto heads = static_cast<std::size_t>(query_group * shape.kv_heads),
               half = static_cast<std::size_t>(shape.head_dim / 2), dim = 2 * half;
    WindowQueries& queries = observed.queries;
    queries = {static_cast<int>(heads), std::min(window, tokens), {}};
    for (std::size_t f = 0; f < half; ++f)
      observed.frequencies.push_back(
          static_cast<float>(std::pow(1e4, -static_cast<double>(f) / static_cast<double>(half))));
    RepeatChunk chunk{.first = 0, .last = tokens, .rows = tokens + 3, .queries = {}, .keys = {}};
    const auto rows = static_cast<std::size_t>(chunk.rows);
    for (int l = 0; l < shape.layers; ++l) {
      queries.layers.push_back(normals(heads * static_cast<std::size_t>(queries.window) * dim, 2, random));
      chunk.queries.push_back(normals(heads * rows * dim, 1, random));
      chunk.keys.push_back(normals(static_cast<std::size_t>(shape.kv_heads) * rows * dim, 1, random));
      auto magnitudes = normals(heads * half, 1, random);
      for (float& value : magnitudes) value = 2 + std::abs(value);
      observed.calibration.layers.push_back(
          {normals(heads * half, 1, random), normals(heads * half, 1, random), magnitudes});
    }
    observed.repeat.push_back(std::move(chunk));
    observed.hidden_states.hidden = 20;
    for (int l = 0; l < shape.layers; ++l) {
      observed.hidden_states.layers.push_back(normals(static_cast<std::size_t>(tokens) * 20, 1, random));
      observed.repeat.back().hidden_norms.push_back(positives(rows_of_repeat(tokens), random));
      observed.output_norms.layers.push_back({positives(heads * static_cast<std::size_t>(tokens), random),
                                              positives(heads * static_cast<std::size_t>(tokens), random)});
    }
  }

  static std::vector<float> normals(std::size_t count, double scale, Random& random) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(scale * random.normal());
    return values;
  }

  static std::vector<float> positives(std::size_t count, Random& random) {
    auto values = normals(count, 1, random);
    for (float& value : values) value = 0.5F + std::abs(value);
    return values;
  }
  static std::size_t rows_of_repeat(int tokens) { return static_cast<std::size_t>(tokens + 3); }

  static std::vector<std::byte> numbers(std::size_t count, KvType type, Random& random) {
    std::vector<std::byte> bytes(count * bytes_of(type));
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(random.normal());
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      if (type == KvType::bf16) bits >>= 16;  // little-endian: the two bytes copied are the upper half
      std::memcpy(bytes.data() + i * bytes_of(type), &bits, bytes_of(type));
    }
    return bytes;
  }

 private:
  /// Room for three caches of the context.
  static std::size_t pool_bytes(const KvShape& shape, int tokens, int block_tokens) {
    const auto blocks = static_cast<std::size_t>((tokens + block_tokens - 1) / block_tokens + 1);
    const auto positions = static_cast<std::size_t>(shape.layers * shape.kv_heads) * 64;
    return 3 * blocks * static_cast<std::size_t>(block_tokens) * (shape.bytes_per_token() + positions) + 65536;
  }
};

}  // namespace kvantage::test
