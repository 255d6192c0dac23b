// What tests of the attention kernels share: a head's rows as numbers and in blocks, and attention in double precision.
#pragma once

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/model/kernels/kernels.h"

namespace kvantage::test {

/// One KV head's rows as numbers, and laid out in blocks of any size with NaN where nothing is kept.
struct Rows {
  int kept, head_dim;
  Element type;
  std::vector<float> keys, values;  // [kept, head_dim], exactly representable in `type`

  Rows(int kept_, int head_dim_, Element type_, unsigned seed) : kept(kept_), head_dim(head_dim_), type(type_) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (auto* list : {&keys, &values}) {
      list->resize(static_cast<std::size_t>(kept * head_dim));
      for (float& x : *list) {
        x = normal(random);
        if (type == Element::bf16) x = to_float(to_bf16(x));
      }
    }
  }
};

struct Blocks {
  std::vector<std::vector<std::byte>> memory;
  std::vector<const std::byte*> keys, values;
  KvRows rows;

  Blocks(const Rows& source, int block_tokens) {
    const auto element = source.type == Element::bf16 ? sizeof(Bf16) : sizeof(float);
    const int blocks = (source.kept + block_tokens - 1) / block_tokens;
    memory.reserve(static_cast<std::size_t>(2 * blocks));
    for (const auto* list : {&source.keys, &source.values}) {
      auto& addresses = list == &source.keys ? keys : values;
      for (int b = 0; b < blocks; ++b) {
        auto& block = memory.emplace_back(static_cast<std::size_t>(block_tokens * source.head_dim) * element,
                                          std::byte{0xff});  // NaN in both types
        for (int t = 0; t < block_tokens && b * block_tokens + t < source.kept; ++t)
          for (int d = 0; d < source.head_dim; ++d) {
            const float x = (*list)[static_cast<std::size_t>((b * block_tokens + t) * source.head_dim + d)];
            const auto at = static_cast<std::size_t>(t * source.head_dim + d) * element;
            const Bf16 half = to_bf16(x);
            if (source.type == Element::bf16)
              std::memcpy(&block[at], &half, sizeof(half));
            else
              std::memcpy(&block[at], &x, sizeof(x));
          }
        addresses.push_back(block.data());
      }
    }
    rows = {keys.data(), values.data(), block_tokens, source.kept, source.type};
  }
};

inline std::vector<float> normals(std::size_t count, unsigned seed, float scale = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> list(count);
  for (float& x : list) x = scale * normal(random);
  return list;
}

inline std::vector<Bf16> halves(const std::vector<float>& list) {
  std::vector<Bf16> result;
  for (float x : list) result.push_back(to_bf16(x));
  return result;
}

/// Attention of one query over the first `visible` rows.
inline std::vector<double> naive_attention(const Rows& rows, const float* query, int visible) {
  std::vector<double> weight(static_cast<std::size_t>(visible)), sum(static_cast<std::size_t>(rows.head_dim));
  double largest = -1e300, total = 0;
  for (int t = 0; t < visible; ++t) {
    double score = 0;
    for (int d = 0; d < rows.head_dim; ++d)
      score += static_cast<double>(query[d]) *
               static_cast<double>(rows.keys[static_cast<std::size_t>(t * rows.head_dim + d)]);
    weight[static_cast<std::size_t>(t)] = score / std::sqrt(rows.head_dim);
    largest = std::max(largest, weight[static_cast<std::size_t>(t)]);
  }
  for (double& w : weight) total += w = std::exp(w - largest);
  for (int t = 0; t < visible; ++t)
    for (int d = 0; d < rows.head_dim; ++d)
      sum[static_cast<std::size_t>(d)] +=
          weight[static_cast<std::size_t>(t)] / total *
          static_cast<double>(rows.values[static_cast<std::size_t>(t * rows.head_dim + d)]);
  return sum;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline void isa_rows() {
  QTest::addColumn<int>("isa");
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) QTest::newRow(to_string(static_cast<Isa>(isa))) << isa;
}
inline Isa isa_of_row() {
  QFETCH_GLOBAL(int, isa);
  return static_cast<Isa>(isa);
}

struct Shape {
  int kept, queries, head_dim, group;
};
inline constexpr Shape shapes[] = {{1, 1, 8, 1},     {64, 64, 32, 2},  {65, 1, 32, 2},   {300, 77, 32, 2},
                                   {333, 5, 64, 1},  {200, 130, 8, 2}, {150, 33, 80, 3}, {700, 3, 128, 4},
                                   {129, 128, 6, 1}, {40, 40, 20, 7},  {520, 16, 256, 1}};

inline std::vector<float> decode_queries(int head_dim, int group) {
  return normals(static_cast<std::size_t>(group * head_dim), 21);
}
/// Attention of one token; queries [group, head_dim], scaled for powers of two.
inline std::vector<float> decode(Isa isa, const KvRows& rows, int head_dim, int group, Element type,
                                 const std::vector<float>& q) {
  std::vector<float> output(q.size());
  DecodeAttention job;
  job.rows = rows;
  job.head_dim = head_dim;
  job.group = group;
  job.queries = q.data();
  job.output = output.data();
  job.type = type;
  kernels(isa).attention_decode(job);
  return output;
}
inline std::vector<float> decode(Isa isa, const KvRows& rows, int head_dim, int group, Element type = Element::fp32) {
  auto q = decode_queries(head_dim, group);
  for (float& x : q) x *= query_scale(head_dim);
  return decode(isa, rows, head_dim, group, type, q);
}

}  // namespace kvantage::test
