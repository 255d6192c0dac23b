#include "app/cli/method/random_layers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>

#include "core/base/random.h"

namespace kvantage::cli {
namespace {

constexpr int block_tokens = 32, hidden_per_head = 2;

std::size_t bytes_of_pool(const RandomShape& shape) {
  const auto blocks = static_cast<std::size_t>(shape.tokens / block_tokens + 2);
  const auto heads = static_cast<std::size_t>(shape.layers * shape.kv_heads);
  const std::size_t row = static_cast<std::size_t>(shape.head_dim) * 2 * bytes_of(shape.type) + sizeof(std::int32_t);
  return 2 * blocks * heads * (static_cast<std::size_t>(block_tokens) * row + 256);
}

enum Drawn : std::uint64_t { drawn_keys, drawn_values, drawn_queries, drawn_states, drawn_kinds };

/// The same for a layer and a kind, whatever else is drawn.
std::vector<float> normal_numbers(std::size_t count, double scale, int layer, Drawn kind) {
  Random random(20'261'129 + static_cast<std::uint64_t>(layer) * drawn_kinds + kind);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(scale * random.normal());
  return numbers;
}

/// Parts of `width` numbers, in another order: part i of the result is part order[i].
std::vector<float> in_order(const std::vector<float>& numbers, std::size_t width, const std::vector<int>& order) {
  if (order.empty()) return numbers;
  std::vector<float> ordered(numbers.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(order[i]) * width), width,
                ordered.begin() + static_cast<std::ptrdiff_t>(i * width));
  return ordered;
}

std::vector<std::byte> stored(std::span<const float> numbers, KvType type) {
  std::vector<std::byte> bytes(numbers.size() * bytes_of(type));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (type == KvType::fp32) {
      std::memcpy(&bytes[i * sizeof(float)], &numbers[i], sizeof(float));
    } else {
      const auto upper = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(numbers[i]) >> 16);
      std::memcpy(&bytes[i * sizeof upper], &upper, sizeof upper);
    }
  }
  return bytes;
}

}  // namespace

RandomLayers::RandomLayers(const RandomShape& shape, double scale, const std::vector<int>& order, int tokens)
    : pool_({shape.layers, shape.kv_heads, shape.head_dim, shape.type}, block_tokens, bytes_of_pool(shape)) {
  const auto all = static_cast<std::size_t>(shape.tokens), used = tokens > 0 ? static_cast<std::size_t>(tokens) : all,
             dim = static_cast<std::size_t>(shape.head_dim), group = static_cast<std::size_t>(shape.group),
             kv_heads = static_cast<std::size_t>(shape.kv_heads);
  std::vector<std::int32_t> positions(used);
  std::iota(positions.begin(), positions.end(), 0);
  observed_.queries = {shape.kv_heads * shape.group, static_cast<int>(used), {}};
  observed_.hidden_states.hidden = shape.kv_heads * shape.group * hidden_per_head;
  const auto hidden = static_cast<std::size_t>(observed_.hidden_states.hidden);
  for (std::size_t pair = 0; pair < dim / 2; ++pair)
    observed_.frequencies.push_back(
        static_cast<float>(std::pow(1e4, -2.0 * static_cast<double>(pair) / static_cast<double>(dim))));
  for (int layer = 0; layer < shape.layers; ++layer) {
    const auto keys = in_order(normal_numbers(kv_heads * all * dim, scale, layer, drawn_keys), all * dim, order);
    const auto values = in_order(normal_numbers(kv_heads * all * dim, scale, layer, drawn_values), all * dim, order);
    for (std::size_t head = 0; head < kv_heads; ++head) {
      const auto rows = [&](const std::vector<float>& of) {
        return stored(std::span(of).subspan(head * all * dim, used * dim), shape.type);
      };
      if (!cache_.append_head(layer, static_cast<int>(head), rows(keys), rows(values), positions)) std::abort();
    }
    observed_.queries.layers.push_back(
        in_order(normal_numbers(kv_heads * group * used * dim, 1, layer, drawn_queries), group * used * dim, order));
    auto states = normal_numbers(all * hidden, 1, layer, drawn_states);
    states.resize(used * hidden);
    observed_.hidden_states.layers.push_back(std::move(states));
  }
  cache_.set_sequence_length(static_cast<std::int32_t>(used));
}

}  // namespace kvantage::cli
