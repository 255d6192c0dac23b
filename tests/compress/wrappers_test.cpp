// links: kv_experiments
// Wrappers of scorers, scorers that choose how many tokens stay and budgets of their own numbers: their laws, and their
// formulas in plain loops where kvpress has none. Those that it has: tests/parity/kvpress_zoo_test.cpp.
#include <complex>

#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace wrappers_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr KvShape shape{3, 2, 12, KvType::fp32};
constexpr int tokens = 150;
constexpr std::array<double, 5> fractions{0.1, 0.3, 0.5, 0.8, 0.95};

using Row = std::vector<double>;

std::vector<KeptIndices> kept(const RandomContext& context, const std::string& text, double removed) {
  const auto method = method_of(text);
  return method->keep_for(method->scores(context.cache, context.observed).value(), removed);
}

std::vector<Row> keys_of(const RandomContext& context, int layer, int head) {
  std::vector<float> keys(static_cast<std::size_t>(tokens * shape.head_dim));
  context.cache.gather_head(layer, head, reinterpret_cast<std::byte*>(keys.data()), nullptr, nullptr);
  std::vector<Row> rows(tokens, Row(shape.head_dim));
  for (std::size_t i = 0; i < keys.size(); ++i)
    rows[i / shape.head_dim][i % shape.head_dim] = static_cast<double>(keys[i]);
  return rows;
}

/// Queries of one query head, [tokens][head_dim].
std::vector<Row> queries_of(const RandomContext& context, int layer, std::size_t query_head) {
  const float* at = context.observed.queries.layers[static_cast<std::size_t>(layer)].data() +
                    query_head * static_cast<std::size_t>(tokens * shape.head_dim);
  std::vector<Row> rows(tokens, Row(shape.head_dim));
  for (std::size_t i = 0; i < static_cast<std::size_t>(tokens * shape.head_dim); ++i)
    rows[i / shape.head_dim][i % shape.head_dim] = static_cast<double>(at[i]);
  return rows;
}

/// The mean of rows before RoPE as complex pairs, [head_dim/2].
std::vector<std::complex<double>> mean_pairs(const RandomContext& context, const std::vector<Row>& rows) {
  const std::size_t half = context.observed.frequencies.size();
  std::vector<std::complex<double>> mean(half);
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (std::size_t f = 0; f < half; ++f)
      mean[f] += std::complex(rows[t][f], rows[t][f + half]) *
                 std::polar(1.0, -static_cast<double>(t) * static_cast<double>(context.observed.frequencies[f])) /
                 static_cast<double>(rows.size());
  return mean;
}

/// The area under the cumulated attention of the last of 500 copies of a mean query to 500 copies of a mean key.
double area(const RandomContext& context, const std::vector<std::complex<double>>& query,
            const std::vector<std::complex<double>>& key) {
  Row weights;
  double sum = 0;
  for (int position = 0; position < 500; ++position) {
    double logit = 0;
    for (std::size_t f = 0; f < query.size(); ++f)
      logit += std::real(query[f] * std::conj(key[f]) *
                         std::polar(1.0, (499 - position) * static_cast<double>(context.observed.frequencies[f])));
    weights.push_back(std::exp(logit / std::sqrt(static_cast<double>(shape.head_dim))));
    sum += weights.back();
  }
  double cumulated = 0, mean = 0;
  for (const double weight : weights) mean += (cumulated += weight / sum) / 500;
  return mean;
}

}  // namespace

class WrappersTest : public QObject {
  Q_OBJECT

  RandomContext context_{shape, tokens};

 private slots:
  // Scores that do not depend on other tokens choose the same, whoever is looked at together.
  void blocksAndOneChunkChooseAsTheScorerAlone() {
    for (const char* scorer : {"knorm", "random(seed=3)", "streaming_llm"})
      for (const double removed : fractions) {
        const auto alone = kept(context_, scorer, removed);
        const std::string inner = scorer;
        QCOMPARE(kept(context_, "chunk(" + inner + ",length=150)", removed), alone);
        QCOMPARE(kept(context_, "chunk(" + inner + ",length=4000,scores=whole)", removed), alone);
        if (inner == "knorm")
          for (const char* size : {"1", "7", "64", "1000"})
            QCOMPARE(kept(context_, "block(" + inner + ",size=" + size + ")", removed), alone);
      }
  }

  void blocksOfKeydiffAreThePapersLoop() {
    // n tokens first; each block of 20 joins them, the keys least like the mean of these rows stay.
    for (const double removed : {0.5, 0.8}) {
      const std::size_t count = kept_tokens(tokens, removed);
      const auto ours = kept(context_, "block(keydiff,size=20)", removed);
      for (int l = 0; l < shape.layers; ++l)
        for (int h = 0; h < shape.kv_heads; ++h) {
          const auto keys = keys_of(context_, l, h);
          std::vector<std::int32_t> rows(count);
          std::iota(rows.begin(), rows.end(), 0);
          for (std::size_t next = count; next < tokens; next += 20) {
            for (std::size_t t = next; t < std::min<std::size_t>(next + 20, tokens); ++t)
              rows.push_back(static_cast<std::int32_t>(t));
            Row anchor(shape.head_dim, 0.0);
            const auto length = [](const Row& row) {
              return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
            };
            for (const auto t : rows)
              for (std::size_t c = 0; c < anchor.size(); ++c)
                anchor[c] += keys[static_cast<std::size_t>(t)][c] / length(keys[static_cast<std::size_t>(t)]);
            std::ranges::sort(rows, {}, [&](std::int32_t t) {
              const Row& key = keys[static_cast<std::size_t>(t)];
              return std::inner_product(key.begin(), key.end(), anchor.begin(), 0.0) / length(key);
            });
            rows.resize(count);
          }
          std::ranges::sort(rows);
          QCOMPARE(ours[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)], rows);
        }
    }
  }

  void everyChunkKeepsItsShare() {
    for (const double removed : fractions)
      for (const auto& layer : kept(context_, "chunk(snapkv(window=8),length=40)", removed))
        for (const auto& head : layer)
          for (int first = 0; first < tokens; first += 40) {
            const int last = std::min(first + 40, tokens);
            const auto in_chunk = std::ranges::count_if(head, [&](auto t) { return t >= first && t < last; });
            QCOMPARE(static_cast<std::size_t>(in_chunk), kept_tokens(static_cast<std::size_t>(last - first), removed));
          }
  }

  void criticalkvIsItsScorerWhenTheFirstStageIsEverything() {
    for (const double removed : fractions) {
      QCOMPARE(kept(context_, "criticalkv(keydiff,first=100)", removed), kept(context_, "keydiff", removed));
      QCOMPARE(kept(context_, "criticaladakv(keydiff,first=100)", removed), kept(context_, "adakv(keydiff)", removed));
      QCOMPARE(kept(context_, "criticaladakv(keydiff,safeguard=100)", removed)[1][0].size(),
               kept_tokens(tokens, removed));
    }
  }

  void criticalkvsSecondStageFollowsTheProjectedValues() {
    const double removed = 0.6;
    const auto scores = method_of("knorm(keep=high)")->scores(context_.cache, context_.observed).value();
    const auto ours = kept(context_, "criticalkv(knorm(keep=high),epsilon=0.5)", removed);
    const std::size_t count = kept_tokens(tokens, removed),
                      first = static_cast<std::size_t>((1 - removed) * tokens * 0.5);
    for (std::size_t l = 0; l < 3; ++l)
      for (std::size_t h = 0; h < 2; ++h) {
        const auto& norms = context_.observed.output_norms.layers[l].absolute;
        std::vector<std::pair<double, std::int32_t>> rest;
        std::vector<std::int32_t> expected;
        for (std::size_t t = 0; t < tokens; ++t) {
          double norm = 0;
          for (std::size_t g = 0; g < query_group; ++g)
            norm += static_cast<double>(norms[(h * query_group + g) * tokens + t]) / query_group;
          const auto& head = scores.layers[l][h];
          if (static_cast<std::size_t>(head.ranks[t]) < first)
            expected.push_back(static_cast<std::int32_t>(t));
          else
            rest.emplace_back(-(static_cast<double>(head.scores[t]) + 0.5) * norm, static_cast<std::int32_t>(t));
        }
        std::ranges::sort(rest);
        for (std::size_t i = 0; expected.size() < count; ++i) expected.push_back(rest[i].second);
        std::ranges::sort(expected);
        QCOMPARE(ours[l][h], expected);
      }
  }

  void globalLayerwiseTakesTheSameFromEveryLayer() {
    for (const double removed : fractions)
      for (const auto& layer : kept(context_, "global(kvzip,layerwise=yes)", removed))
        QCOMPARE(layer[0].size() + layer[1].size(), 2 * tokens - static_cast<std::size_t>(2 * tokens * removed));
  }

  void perLayerSharesLieOnLines() {
    const auto two = kept(context_, "per_layer(knorm,removed=20/60)", 0.01);
    QCOMPARE(two[0][0].size(), kept_tokens(tokens, 0.2));
    QCOMPARE(two[1][0].size(), kept_tokens(tokens, 0.4));
    QCOMPARE(two[2][1].size(), kept_tokens(tokens, 0.6));
    const auto three = kept(context_, "per_layer(knorm,removed=90/0/50)", 0.7);
    QCOMPARE(three[0][0].size(), kept_tokens(tokens, 0.9));
    QCOMPARE(three[1][0].size(), std::size_t{tokens});
    QCOMPARE(three[2][0].size(), kept_tokens(tokens, 0.5));
  }

  void dmsKeepsWhatReachesTheThresholdAndTheWindow() {
    const auto scores = method_of("knorm")->scores(context_.cache, context_.observed).value();
    const auto ours = kept(context_, "dms(knorm,threshold=-3.5,window=10)", 0.5);
    std::size_t evicted = 0;
    for (std::size_t l = 0; l < 3; ++l)
      for (std::size_t h = 0; h < 2; ++h) {
        std::vector<std::int32_t> expected;
        for (int t = 0; t < tokens; ++t)
          if (t >= tokens - 10 || scores.layers[l][h].scores[static_cast<std::size_t>(t)] >= -3.5F)
            expected.push_back(t);
        QCOMPARE(ours[l][h], expected);
        evicted += tokens - expected.size();
      }
    QVERIFY(evicted > 50);
  }

  void streamingHeadsAreThoseOfTheSmallestArea() {
    const auto scores =
        method_of("duo_attention(sinks=4,recent=16)")->scores(context_.cache, context_.observed).value();
    std::vector<std::pair<double, std::size_t>> areas;
    for (int l = 0; l < shape.layers; ++l)
      for (int h = 0; h < shape.kv_heads; ++h) {
        const auto key = mean_pairs(context_, keys_of(context_, l, h));
        double mean = 0;
        for (std::size_t g = 0; g < query_group; ++g)
          mean +=
              area(context_,
                   mean_pairs(context_, queries_of(context_, l, static_cast<std::size_t>(h) * query_group + g)), key) /
              query_group;
        const auto& head = scores.layers[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)].scores;
        QVERIFY(std::abs(static_cast<double>(head[70]) - mean) <= 1e-4 * mean);
        QCOMPARE(head[3], 2.0F);
        QCOMPARE(head[134], 2.0F);
        areas.emplace_back(mean, static_cast<std::size_t>(l * shape.kv_heads + h));
      }
    std::ranges::sort(areas);
    const auto ours = kept(context_, "duo_attention(sinks=4,recent=16)", 0.5);  // three of six heads
    for (std::size_t i = 0; i < areas.size(); ++i) {
      const auto& head = ours[areas[i].second / 2][areas[i].second % 2];
      QCOMPARE(head.size(), i < 3 ? std::size_t{20} : std::size_t{tokens});
    }
  }

  void anyHeadsStreamInTheRandomBaseline() {
    std::size_t differ = 0;
    for (int seed = 0; seed < 8; ++seed) {
      const auto ours =
          kept(context_, "duo_attention(pattern=random,sinks=4,recent=16,seed=" + std::to_string(seed) + ")", 0.34);
      std::size_t streaming = 0;
      for (const auto& layer : ours)
        for (const auto& head : layer) streaming += head.size() == 20;
      QCOMPARE(streaming, std::size_t{2});
      differ += ours != kept(context_, "duo_attention(pattern=random,sinks=4,recent=16)", 0.34);
    }
    QVERIFY(differ > 3);
  }

  void lazyLayersKeepTheFirstAndTheNewest() {
    // Every layer is lazy above no threshold, none above all of the attention.
    std::vector<std::int32_t> lazy{0, 1, 2};
    for (int t = tokens - 18; t < tokens; ++t) lazy.push_back(t);
    for (const auto& layer : kept(context_, "simlayerkv(threshold=0.0,last=2,recent=20,initial=3)", 0.5))
      QCOMPARE(layer, KeptIndices(2, lazy));
    for (const auto& layer : kept(context_, "simlayerkv(threshold=1.0,last=2,recent=20,initial=3)", 0.5))
      QCOMPARE(layer[1].size(), std::size_t{tokens});
  }

  void filtersWithoutAFileAreTheMainDirectionOfTheQueries() {
    const auto scores = method_of("qfilter")->scores(context_.cache, context_.observed).value();
    for (int h = 0; h < shape.kv_heads; ++h) {
      // Power iteration on the rows themselves, from the mean.
      std::vector<Row> queries;
      for (std::size_t g = 0; g < query_group; ++g)
        for (Row& row : queries_of(context_, 1, static_cast<std::size_t>(h) * query_group + g))
          queries.push_back(std::move(row));
      Row direction(shape.head_dim, 0.0);
      for (const Row& query : queries)
        for (std::size_t c = 0; c < direction.size(); ++c) direction[c] += query[c];
      for (int i = 0; i < 20000; ++i) {
        Row next(direction.size(), 0.0);
        for (const Row& query : queries) {
          const double product = std::inner_product(query.begin(), query.end(), direction.begin(), 0.0);
          for (std::size_t c = 0; c < next.size(); ++c) next[c] += product * query[c];
        }
        const double norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        double moved = 0;
        for (std::size_t c = 0; c < next.size(); ++c) {
          next[c] /= norm;
          moved = std::max(moved, std::abs(next[c] - direction[c]));
        }
        direction = next;
        if (moved < 1e-12) break;
      }
      const auto keys = keys_of(context_, 1, h);
      for (std::size_t t = 0; t < tokens; ++t) {
        const double expected = -std::inner_product(keys[t].begin(), keys[t].end(), direction.begin(), 0.0);
        QVERIFY(std::abs(static_cast<double>(scores.layers[1][static_cast<std::size_t>(h)].scores[t]) - expected) <=
                1e-4);
      }
    }
  }

  void compactorFollowsTheFractionUnlessANumberIsGiven() {
    QVERIFY(kept(context_, "compactor(chunk=32)", 0.5) != kept(context_, "compactor(chunk=32,blending=0.05)", 0.5));
    QCOMPARE(kept(context_, "compactor(chunk=32)", 0.5), kept(context_, "compactor(chunk=32,blending=0.5)", 0.5));
  }
};

KV_TEST_GUILESS_MAIN(WrappersTest)

}  // namespace wrappers_test

#include "wrappers_test.moc"
