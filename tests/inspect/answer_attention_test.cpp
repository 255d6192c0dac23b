// links: core_inspect
// Attention over a text against its definition, computed row by row in double precision; spans in planted shares.
#include "core/inspect/answer_attention.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/random.h"
#include "core/kv/head_rows.h"
#include "tests/support/test_program.h"

namespace answer_attention_test {

using namespace kvantage;

namespace {

constexpr KvShape shape{.layers = 2, .kv_heads = 2, .head_dim = 16, .type = KvType::fp32};
constexpr int group = 3, tokens = 29, window = 4;

float drawn(Random& random) { return static_cast<float>(random.below(2001)) / 500.0F - 2.0F; }

/// Keys and values of all layers, drawn.
KvCache drawn_cache(BlockPool& pool, Random& random) {
  KvCache cache(pool);
  std::vector<float> rows(static_cast<std::size_t>(tokens * shape.kv_heads * shape.head_dim));
  std::vector<std::int32_t> positions(tokens);
  std::iota(positions.begin(), positions.end(), 0);
  for (int layer = 0; layer < shape.layers; ++layer) {
    for (float& number : rows) number = drawn(random);
    if (!cache.append(layer, std::as_bytes(std::span(rows)), std::as_bytes(std::span(rows)), positions))
      qFatal("the pool is full");
  }
  return cache;
}

/// What one query pays to each of the first `seen` keys, by definition.
std::vector<double> softmax_of(const KvCache& cache, int layer, int kv_head, int seen, std::span<const float> query) {
  std::vector<double> weights;
  std::vector<float> key(static_cast<std::size_t>(shape.head_dim));
  double sum = 0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(seen); ++t) {
    read_key(cache.head(layer, kv_head), shape, t, key);
    double product = 0;
    for (std::size_t d = 0; d < key.size(); ++d) product += static_cast<double>(key[d]) * static_cast<double>(query[d]);
    weights.push_back(std::exp(product / std::sqrt(static_cast<double>(shape.head_dim))));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

class AnswerAttentionTest : public QObject {
  Q_OBJECT

 private slots:
  void attentionIsTheSoftmaxOverTheText() {
    Random random(11);
    BlockPool pool(shape, 8, 1 << 20);
    const KvCache cache = drawn_cache(pool, random);
    WindowQueries queries{.heads = group * shape.kv_heads, .window = window, .layers = {}};
    for (int layer = 0; layer < shape.layers; ++layer) {
      auto& numbers = queries.layers.emplace_back(static_cast<std::size_t>(queries.heads * window * shape.head_dim));
      for (float& number : numbers) number = drawn(random);
    }
    constexpr std::size_t of_text = 20;  // the rest are a question and the answer
    for (int layer = 0; layer < shape.layers; ++layer) {
      std::vector<double> paid(of_text, 0), expected(of_text, 0);
      add_attention(cache, queries, layer, paid);
      const auto row = static_cast<std::size_t>(shape.head_dim);
      for (int q = 0; q < queries.heads; ++q)
        for (int i = 0; i < window; ++i) {
          const auto at = static_cast<std::size_t>(q * window + i) * row;
          const auto weights = softmax_of(cache, layer, q / group, tokens - window + i + 1,
                                          std::span(queries.layers[static_cast<std::size_t>(layer)]).subspan(at, row));
          double squares = 0;
          for (std::size_t t = 1; t < of_text; ++t) squares += weights[t] * weights[t];
          for (std::size_t t = 0; t < of_text; ++t) expected[t] += squares * weights[t];
        }
      for (std::size_t t = 0; t < of_text; ++t) QVERIFY(std::abs(paid[t] - expected[t]) < 1e-3);
    }
  }

  // Rows past a layer's window are not seen, and it makes no difference whether they are there.
  void rowsPastAWindowGetNothing() {
    Random random(12);
    BlockPool pool(shape, 8, 1 << 20);
    const KvCache whole = drawn_cache(pool, random);
    KvCache fewer = whole.share();
    QVERIFY(fewer.evict(0, KeptIndices(2, {0, 1, 2, 3, 4, 5, 6, 7})).has_value());
    WindowQueries queries{.heads = group * shape.kv_heads, .window = window, .layers = {}};
    auto& numbers = queries.layers.emplace_back(static_cast<std::size_t>(queries.heads * window * shape.head_dim));
    for (float& number : numbers) number = drawn(random);
    constexpr int seen = 15;  // tokens: the first query is at 25 and sees 11 to 25
    std::vector<double> of_whole(20, 0), of_fewer(20, 0), of_all(20, 0);
    add_attention(whole, queries, 0, of_whole, seen);
    add_attention(fewer, queries, 0, of_fewer, seen);
    add_attention(whole, queries, 0, of_all);
    for (std::size_t t = 0; t < 20; ++t) {
      QVERIFY(std::abs(of_whole[t] - of_fewer[t]) < 1e-3);
      QCOMPARE(of_whole[t] > 0, t >= 11);
      QVERIFY(of_all[t] > 0);
    }
  }

  void sharesAddUpToOne() {
    const std::vector<double> paid{3, 1, 0, 4};
    QCOMPARE(shares_of(paid), (std::vector<float>{0.375F, 0.125F, 0, 0.5F}));
    QVERIFY(shares_of(std::vector<double>{0, 0}).empty());
    QVERIFY(shares_of({}).empty());
  }

  void theDensestSpanIsFound_data() {
    QTest::addColumn<QList<float>>("shares");
    QTest::addColumn<int>("begin");  // -1: none
    QTest::addColumn<int>("end");
    QTest::newRow("three tokens") << QList<float>{0.2F, 0.4F, 0.4F} << -1 << -1;
    QTest::newRow("all equal") << QList<float>(40, 0.025F) << -1 << -1;
    QTest::newRow("the sink is not it") << QList<float>{0.9F, 0.01F, 0.01F, 0.07F, 0.01F} << 3 << 4;
    // The mean is 0.083: what 0.06 lacks is less than what the second 0.2 adds.
    QTest::newRow("a gap of one") << QList<float>{0, 0.04F, 0.2F, 0.06F, 0.2F, 0, 0} << 2 << 5;
    QList<float> wide(60, 0.005F);
    for (int t = 20; t < 50; ++t) wide[t] = 0.02F + 0.0001F * static_cast<float>(t);
    QTest::newRow("at most 24 tokens") << wide << 26 << 50;
  }
  void theDensestSpanIsFound() {
    QFETCH(QList<float>, shares);
    QFETCH(int, begin);
    QFETCH(int, end);
    const auto span = densest_span(std::vector<float>(shares.begin(), shares.end()));
    QCOMPARE(span.has_value(), begin >= 0);
    if (!span) return;
    QCOMPARE(static_cast<int>(span->begin), begin);
    QCOMPARE(static_cast<int>(span->end), end);
  }
};

KV_TEST_GUILESS_MAIN(AnswerAttentionTest)

}  // namespace answer_attention_test

#include "answer_attention_test.moc"
