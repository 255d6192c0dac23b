// links: core_request tiers
// The tokens that a question finds important, against attention worked out here in double precision.
#include "core/request/important_tokens.h"

#include <QtTest>

#include <cmath>
#include <numeric>
#include <set>

#include "core/base/random.h"
#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace important_tokens_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr KvShape shape{1, 4, 32, KvType::fp32};
constexpr int group = 2, query_heads = shape.kv_heads * group;

struct Heads {
  std::vector<std::vector<float>> keys;  // [probes][tokens, head_dim]
  std::vector<float> queries;            // [query heads, question tokens, head_dim]
  int question_tokens = 0;

  std::vector<std::vector<std::byte>> bytes() const {
    std::vector<std::vector<std::byte>> all;
    for (const auto& head : keys) {
      const auto bytes = std::as_bytes(std::span(head));
      all.emplace_back(bytes.begin(), bytes.end());
    }
    return all;
  }

  /// Of each token, summed over the question and the group of a KV head.
  std::vector<double> attention(std::size_t head) const {
    const std::size_t dim = shape.head_dim, tokens = keys[head].size() / dim;
    std::vector<double> paid(tokens);
    for (int q = 0; q < group * question_tokens; ++q) {
      const float* query =
          &queries[(head * static_cast<std::size_t>(group * question_tokens) + static_cast<std::size_t>(q)) * dim];
      std::vector<double> weights(tokens);
      for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t d = 0; d < dim; ++d) weights[t] += static_cast<double>(query[d]) * keys[head][t * dim + d];
        weights[t] = std::exp(weights[t] / std::sqrt(static_cast<double>(dim)));
      }
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t t = 0; t < tokens; ++t) paid[t] += weights[t] / sum;
    }
    return paid;
  }
};

/// Random queries, and keys along one direction per head whose attention falls in clear steps through the tokens in
/// `orders[head]`, so that no rounding changes a choice.
Heads planted(const std::vector<std::vector<std::int32_t>>& orders, int question_tokens, Random& random) {
  const std::size_t dim = shape.head_dim;
  Heads heads;
  heads.question_tokens = question_tokens;
  std::vector<float> direction(dim);
  for (float& number : direction) number = static_cast<float>(random.normal());
  for (int q = 0; q < query_heads * question_tokens; ++q)
    for (std::size_t d = 0; d < dim; ++d)
      heads.queries.push_back(direction[d] + 0.1F * static_cast<float>(random.normal()));
  for (const auto& order : orders) {
    auto& keys = heads.keys.emplace_back(order.size() * dim);
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      for (std::size_t d = 0; d < dim; ++d)
        keys[static_cast<std::size_t>(order[rank]) * dim + d] =
            direction[d] * (1 - 2 * static_cast<float>(rank) / static_cast<float>(order.size()));
  }
  return heads;
}

std::vector<std::int32_t> shuffled(std::size_t tokens, Random& random) {
  std::vector<std::int32_t> order(tokens);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  return order;
}

/// By the definition, from attention in double precision.
std::vector<std::int32_t> expected_tokens(const Heads& heads, double kept) {
  const std::size_t tokens = heads.keys[0].size() / shape.head_dim;
  const auto count = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(tokens) * kept));
  std::vector<std::set<std::int32_t>> best;
  for (std::size_t head = 0; head < heads.keys.size(); ++head) {
    const std::vector<double> paid = heads.attention(head);
    std::vector<std::int32_t> order(tokens);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
      return paid[static_cast<std::size_t>(a)] > paid[static_cast<std::size_t>(b)];
    });
    best.emplace_back(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  }
  double sum = 0;
  int pairs = 0;
  std::set<std::int32_t> all;
  for (std::size_t a = 0; a < best.size(); ++a) {
    all.insert(best[a].begin(), best[a].end());
    for (std::size_t b = a + 1; b < best.size(); ++b, ++pairs) {
      double both = 0;
      for (const std::int32_t token : best[a]) both += best[b].contains(token) ? 1 : 0;
      sum += both / (2.0 * static_cast<double>(count) - both);
    }
  }
  const double share = static_cast<double>(count) / static_cast<double>(tokens);
  if (pairs > 0 && sum / pairs < std::pow(share / (2 - share), 0.6))
    for (std::size_t t = 0; t < tokens; ++t) all.insert(static_cast<std::int32_t>(t));
  return {all.begin(), all.end()};
}

}  // namespace

class ImportantTokensTest : public QObject {
  Q_OBJECT

 private slots:
  void attentionIsThatOfTheDefinition() {
    Random random(5);
    for (const KvType type : {KvType::fp32, KvType::bf16}) {
      const KvShape of_type{1, 1, 32, type};
      const std::size_t tokens = 150, dim = 32;
      BlockPool pool(of_type, 32, std::size_t{4} << 20);
      KvCache cache(pool);
      const auto bytes = RandomContext::numbers(tokens * dim, type, random);
      std::vector<std::int32_t> positions(tokens);
      std::iota(positions.begin(), positions.end(), 0);
      QVERIFY(cache.append_head(0, 0, bytes, bytes, positions));
      const std::vector<float> queries = RandomContext::normals(70 * dim, 1, random);  // more than at once
      const std::vector<float> paid = question_attention(cache.head(0, 0), queries);
      // In bf16 the number is the upper half of an fp32.
      const auto number = [&](std::size_t i) {
        std::uint32_t bits = 0;
        if (type == KvType::fp32)
          std::memcpy(&bits, &bytes[4 * i], 4);
        else
          std::memcpy(reinterpret_cast<std::byte*>(&bits) + 2, &bytes[2 * i], 2);
        float value = 0;
        std::memcpy(&value, &bits, 4);
        return static_cast<double>(value);
      };
      std::vector<double> expected(tokens);
      for (std::size_t q = 0; q < 70; ++q) {
        std::vector<double> weights(tokens);
        for (std::size_t t = 0; t < tokens; ++t) {
          for (std::size_t d = 0; d < dim; ++d) weights[t] += queries[q * dim + d] * number(t * dim + d);
          weights[t] = std::exp(weights[t] / std::sqrt(32.0));
        }
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (std::size_t t = 0; t < tokens; ++t) expected[t] += weights[t] / sum;
      }
      QCOMPARE(paid.size(), tokens);
      for (std::size_t t = 0; t < tokens; ++t)
        QVERIFY2(std::abs(paid[t] - expected[t]) < 1e-3 * expected[t] + 1e-6,
                 qPrintable(QString("%1: %2, not %3").arg(t).arg(paid[t]).arg(expected[t])));
    }
  }

  void similarHeadsShareAndOthersKeepEverything() {
    Random random(9);
    int whole = 0, shared = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const std::size_t tokens = 40 + random.below(40), probes = 1 + random.below(3);
      const double kept = std::vector{0.1, 0.25, 0.5, 0.9}[random.below(4)];
      // Heads that rank alike, up to some tokens, and heads of their own.
      const bool alike = random.below(2) == 0;
      std::vector<std::vector<std::int32_t>> orders{shuffled(tokens, random)};
      while (orders.size() < probes) {
        orders.push_back(alike ? orders[0] : shuffled(tokens, random));
        if (alike) std::swap(orders.back().front(), orders.back()[random.below(tokens)]);
      }
      const Heads heads = planted(orders, 5, random);
      BlockPool pool(shape, 32, std::size_t{4} << 20);
      const auto got = important_tokens(pool, heads.bytes(), heads.queries, query_heads, {.kept = kept, .probes = 3});
      QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
      QCOMPARE(*got, expected_tokens(heads, kept));
      QCOMPARE(pool.free_blocks(), pool.capacity_blocks());
      (got->size() == tokens ? whole : shared) += 1;
      if (alike) QVERIFY(got->size() <= static_cast<std::size_t>(kept * static_cast<double>(tokens)) + probes);
    }
    QVERIFY2(whole >= 10 && shared >= 10, qPrintable(QString("%1 and %2").arg(whole).arg(shared)));
  }

  void everythingKeptIsEverything() {
    Random random(4);
    const Heads heads = planted({shuffled(50, random), shuffled(50, random), shuffled(50, random)}, 3, random);
    BlockPool pool(shape, 32, std::size_t{4} << 20);
    const auto got = important_tokens(pool, heads.bytes(), heads.queries, query_heads, {.kept = 1, .probes = 3});
    QCOMPARE(got->size(), std::size_t{50});
  }

  void ofASmallShareOneTokenIsLeft() {
    Random random(4);
    const auto order = shuffled(50, random);
    const Heads heads = planted({order, order, order}, 3, random);
    BlockPool pool(shape, 32, std::size_t{4} << 20);
    const auto got = important_tokens(pool, heads.bytes(), heads.queries, query_heads, {.kept = 1e-6, .probes = 3});
    QVERIFY(*got == std::vector<std::int32_t>{order.front()});
  }

  void aFullPoolSaysSo() {
    Random random(4);
    const Heads heads = planted({shuffled(50, random)}, 3, random);
    BlockPool pool(shape, 32, std::size_t{4} << 20);
    std::vector<BlockId> held;
    while (pool.free_blocks() > 0) held.push_back(pool.allocate().value());
    const auto got = important_tokens(pool, heads.bytes(), heads.queries, query_heads, {.kept = 0.5, .probes = 3});
    QCOMPARE(got.error().code, ErrorCode::no_space);
    for (const BlockId block : held) pool.release(block);
  }
};

KV_TEST_GUILESS_MAIN(ImportantTokensTest)

}  // namespace important_tokens_test

#include "important_tokens_test.moc"
