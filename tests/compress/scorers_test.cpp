// links: kv_experiments
// Scorers against their formulas, worked out here in plain loops in double, on small random caches.
#include <complex>
#include <functional>
#include <limits>

#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace scorers_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

constexpr KvShape shape{2, 2, 12, KvType::fp32};
constexpr int tokens = 150;

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}
double norm(const Row& row) { return std::sqrt(dot(row, row)); }
double highest(const Row& row) { return *std::ranges::max_element(row); }

Row softmax(Row logits) {
  const double most = highest(logits);
  double sum = 0;
  for (double& value : logits) sum += value = std::exp(value - most);
  for (double& value : logits) value /= sum;
  return logits;
}

Rows rows_of(const float* floats, std::size_t count, std::size_t dim) {
  Rows rows(count, Row(dim));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < dim; ++c) rows[i][c] = static_cast<double>(floats[i * dim + c]);
  return rows;
}

/// One KV head of one layer as the formulas see it.
struct Head {
  Rows keys, values;                                     // [tokens][dim]
  std::vector<Rows> queries;                             // [group][tokens][dim]
  std::vector<Rows> again;                               // [group][rows][dim], of the repeat pass
  Rows again_keys;                                       // [rows][dim]
  std::vector<std::vector<std::complex<double>>> means;  // [group][dim/2]
  Rows magnitudes;                                       // [group][dim/2]
  Row frequencies;                                       // [dim/2]

  Head(const RandomContext& context, int layer, int head) {
    const auto dim = static_cast<std::size_t>(shape.head_dim), half = dim / 2, count = static_cast<std::size_t>(tokens),
               l = static_cast<std::size_t>(layer), h = static_cast<std::size_t>(head);
    std::vector<float> k(count * dim), v(k.size());
    context.cache.gather_head(layer, head, reinterpret_cast<std::byte*>(k.data()),
                              reinterpret_cast<std::byte*>(v.data()), nullptr);
    keys = rows_of(k.data(), count, dim);
    values = rows_of(v.data(), count, dim);
    const RepeatChunk& chunk = context.observed.repeat[0];
    const auto rows = static_cast<std::size_t>(chunk.rows);
    again_keys = rows_of(&chunk.keys[l][h * rows * dim], rows, dim);
    for (std::size_t q = h * query_group; q < (h + 1) * query_group; ++q) {
      queries.push_back(rows_of(&context.observed.queries.layers[l][q * count * dim], count, dim));
      again.push_back(rows_of(&chunk.queries[l][q * rows * dim], rows, dim));
      const QueryMeans::Layer& mean = context.observed.calibration.layers[l];
      means.emplace_back();
      magnitudes.emplace_back();
      for (std::size_t f = q * half; f < (q + 1) * half; ++f) {
        means.back().emplace_back(static_cast<double>(mean.real[f]), static_cast<double>(mean.imaginary[f]));
        magnitudes.back().push_back(static_cast<double>(mean.magnitude[f]));
      }
    }
    for (const float f : context.observed.frequencies) frequencies.push_back(static_cast<double>(f));
  }

  /// softmax over t <= i of q_i.k_t / sqrt(d), zero behind.
  Row attention(std::size_t g, std::size_t i) const {
    Row logits;
    for (std::size_t t = 0; t <= i; ++t)
      logits.push_back(dot(queries[g][i], keys[t]) / std::sqrt(static_cast<double>(shape.head_dim)));
    Row row = softmax(std::move(logits));
    row.resize(tokens, 0);
    return row;
  }
  /// Pairs (c, c + d/2) as complex numbers, turned back by the position.
  std::vector<std::complex<double>> pairs(const Row& row, std::size_t position) const {
    std::vector<std::complex<double>> result;
    for (std::size_t f = 0; f < frequencies.size(); ++f)
      result.push_back(std::complex(row[f], row[f + frequencies.size()]) *
                       std::polar(1.0, -static_cast<double>(position) * frequencies[f]));
    return result;
  }
};

/// Sums over queries of the attention drawn, mean over the group.
Row drawn(const Head& head) {
  Row sums(tokens, 0.0);
  for (std::size_t g = 0; g < query_group; ++g)
    for (std::size_t i = 0; i < tokens; ++i) {
      const Row row = head.attention(g, i);
      for (std::size_t t = 0; t <= i; ++t) sums[t] += row[t] / query_group;
    }
  return sums;
}

Row observed_attention(const Head& head) {
  Row sums = drawn(head);
  for (std::size_t t = 0; t < tokens; ++t) sums[t] /= static_cast<double>(tokens - t);
  return sums;
}

Row scissorhands(const Head& head, std::size_t history, std::size_t recent) {
  Row counts(tokens, 0.0);
  for (std::size_t g = 0; g < query_group; ++g)
    for (std::size_t i = tokens - history; i < tokens; ++i) {
      const Row row = head.attention(g, i);
      for (std::size_t t = 0; t <= i; ++t)
        if (row[t] >= 1.0 / static_cast<double>(i + 1)) counts[t] += 1.0 / static_cast<double>(history * query_group);
    }
  for (std::size_t t = tokens - recent; t < tokens; ++t) counts[t] = 2;
  return counts;
}

/// Queries before RoPE are normal with mean and covariance of the context's; the mean rotation of the next positions.
Row expected_attention(const Head& head, std::size_t future, std::size_t sinks, double epsilon) {
  const std::size_t dim = shape.head_dim, half = dim / 2, count = tokens - sinks;
  Row cosines(half, 0.0), sines(half, 0.0);
  for (std::size_t p = tokens; p < tokens + future; ++p)
    for (std::size_t f = 0; f < half; ++f) {
      cosines[f] += std::cos(static_cast<double>(p) * head.frequencies[f]) / static_cast<double>(future);
      sines[f] += std::sin(static_cast<double>(p) * head.frequencies[f]) / static_cast<double>(future);
    }
  const auto rotate = [&](const Row& x) {
    Row y(dim);
    for (std::size_t f = 0; f < half; ++f) {
      y[f] = cosines[f] * x[f] - sines[f] * x[f + half];
      y[f + half] = cosines[f] * x[f + half] + sines[f] * x[f];
    }
    return y;
  };
  Row scores(count, 0.0);
  for (std::size_t g = 0; g < query_group; ++g) {
    Rows plain;
    Row mean(dim, 0.0);
    for (std::size_t t = sinks; t < tokens; ++t) {
      const auto pairs = head.pairs(head.queries[g][t], t);
      Row& row = plain.emplace_back(dim);
      for (std::size_t f = 0; f < half; ++f) row[f] = pairs[f].real(), row[f + half] = pairs[f].imag();
      for (std::size_t c = 0; c < dim; ++c) mean[c] += row[c] / static_cast<double>(count);
    }
    const Row mu = rotate(mean);
    Row logits;
    for (std::size_t t = sinks; t < tokens; ++t) {
      // k' R S R' k = mean over queries of (k . R(q - mean))^2
      double spread = 0;
      for (Row query : plain) {
        for (std::size_t c = 0; c < dim; ++c) query[c] -= mean[c];
        spread += std::pow(dot(head.keys[t], rotate(query)), 2) / static_cast<double>(count);
      }
      logits.push_back(dot(head.keys[t], mu) / std::sqrt(static_cast<double>(dim)) +
                       spread / (2.0 * static_cast<double>(dim)));
    }
    const Row share = softmax(std::move(logits));
    for (std::size_t t = 0; t < count; ++t) scores[t] += share[t] / query_group;
  }
  for (std::size_t t = 0; t < count; ++t) scores[t] = (scores[t] + epsilon) * norm(head.values[t + sinks]);
  return scores;  // of the tokens behind the sinks
}

/// The most that any query of the repetition pays to each token.
Row kvzip(const Head& head, std::size_t sinks) {
  Row most(tokens, 0.0);
  for (const Rows& queries : head.again)
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Row logits;
      for (const Row& key : head.keys)
        logits.push_back(dot(queries[i], key) / std::sqrt(static_cast<double>(shape.head_dim)));
      for (std::size_t j = 0; j <= i; ++j)
        logits.push_back(dot(queries[i], head.again_keys[j]) / std::sqrt(static_cast<double>(shape.head_dim)));
      const Row row = softmax(std::move(logits));
      for (std::size_t t = 0; t < tokens; ++t) most[t] = std::max(most[t], row[t]);
    }
  for (std::size_t t = 0; t < sinks; ++t) most[t] = 2;
  return most;
}

Row lagkv(const Head& head, std::size_t sinks, std::size_t lag) {
  Row scores(tokens, 1.0);
  const auto spread = [&](const Rows& rows, std::size_t first) {
    Row deviations;
    for (std::size_t t = first; t < first + lag; ++t) {
      Row scaled;
      for (std::size_t c = 0; c < shape.head_dim; ++c) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (std::size_t next = first + lag; next < first + 2 * lag; ++next) {
          least = std::min(least, rows[next][c]);
          most = std::max(most, rows[next][c]);
        }
        scaled.push_back((rows[t][c] - least) / (most - least));
      }
      const double mean = std::accumulate(scaled.begin(), scaled.end(), 0.0) / static_cast<double>(scaled.size());
      double squares = 0;
      for (const double value : scaled) squares += (value - mean) * (value - mean);
      deviations.push_back(std::sqrt(squares / static_cast<double>(scaled.size() - 1)));
    }
    return softmax(std::move(deviations));
  };
  for (std::size_t first = sinks; first + 2 * lag <= tokens; first += lag) {
    const Row a = spread(head.keys, first), b = spread(head.values, first);
    for (std::size_t i = 0; i < lag; ++i) {
      int rank = 0;
      for (std::size_t j = 0; j < lag; ++j) rank += a[j] + b[j] < a[i] + b[i];
      scores[first + i] = rank / static_cast<double>(lag);
    }
  }
  return scores;
}

Row r_kv(const Head& head, std::size_t window, std::size_t kernel, double lambda) {
  const std::size_t scored = tokens - window;
  Row mean(scored, 0.0);
  for (std::size_t i = scored; i < tokens; ++i) {
    Row logits;
    for (std::size_t t = 0; t < scored; ++t) {
      double most = -HUGE_VAL;
      for (const Rows& queries : head.queries) most = std::max(most, dot(queries[i], head.keys[t]));
      logits.push_back(most / std::sqrt(static_cast<double>(shape.head_dim)));
    }
    const Row row = softmax(std::move(logits));
    for (std::size_t t = 0; t < scored; ++t) mean[t] += row[t] / static_cast<double>(window);
  }
  Row redundancy(tokens, 0.0);
  for (std::size_t i = 0; i < tokens; ++i) {
    Row cosines;
    std::size_t last = tokens;
    for (std::size_t j = 0; j < tokens; ++j) {
      cosines.push_back(i == j ? 0 : dot(head.keys[i], head.keys[j]) / norm(head.keys[i]) / norm(head.keys[j]));
      if (cosines[j] > 0.5) last = j;
    }
    for (std::size_t j = 0; j < tokens; ++j)
      if (j != last) redundancy[j] += cosines[j] / static_cast<double>(tokens);
  }
  redundancy = softmax(std::move(redundancy));
  Row scores(tokens, 2.0);
  for (std::size_t t = 0; t < scored; ++t) {
    double importance = 0;
    for (std::size_t u = t < kernel / 2 ? 0 : t - kernel / 2; u <= std::min(scored - 1, t + kernel / 2); ++u)
      importance = std::max(importance, mean[u]);
    scores[t] = lambda * importance - (1 - lambda) * redundancy[t];
  }
  return scores;
}

Row triattention(const Head& head) {
  Row scores(tokens, -HUGE_VAL);
  for (std::size_t t = 0; t < tokens; ++t) {
    const auto key = head.pairs(head.keys[t], t);
    for (std::size_t g = 0; g < query_group; ++g) {
      double score = 0;
      for (std::size_t f = 0; f < key.size(); ++f) {
        const auto& mean = head.means[g][f];
        double cosine = 0;
        for (int d = 0; d < 17; ++d)
          cosine += std::cos(head.frequencies[f] * (tokens - static_cast<double>(t) + std::pow(2, d)) +
                             std::arg(mean * std::conj(key[f]))) /
                    17;
        score +=
            std::abs(mean) * std::abs(key[f]) * cosine + (head.magnitudes[g][f] - std::abs(mean)) * std::abs(key[f]);
      }
      scores[t] = std::max(scores[t], score);
    }
  }
  return scores;
}

Row paged_eviction(const Head& head) {
  Row scores;
  for (std::size_t t = 0; t < tokens; ++t) scores.push_back(norm(head.values[t]) / norm(head.keys[t]));
  return scores;
}

}  // namespace

class ScorersTest : public QObject {
  Q_OBJECT

  RandomContext context_{shape, tokens};

  std::vector<std::vector<LayerScores::Head>> scores(const std::string& text) const {
    return method_of(text)->scores(context_.cache, context_.observed).value().layers;
  }

  /// Holds the scores of tokens from `first` on against those of the formula, 1e-4 of each or of the mean.
  void compare(const std::string& text, const std::function<Row(const Head&)>& formula, std::size_t first = 0) {
    const auto ours = scores(text);
    double worst = 0;
    for (int l = 0; l < shape.layers; ++l)
      for (int h = 0; h < shape.kv_heads; ++h) {
        const Row expected = formula(Head(context_, l, h));
        QCOMPARE(expected.size(), tokens - first);
        double size = 0;
        for (const double value : expected) size += std::abs(value) / static_cast<double>(expected.size());
        const auto& mine = ours[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)].scores;
        for (std::size_t t = first; t < tokens; ++t)
          worst = std::max(worst, std::abs(static_cast<double>(mine[t]) - expected[t - first]) /
                                      std::max(std::abs(expected[t - first]), 0.1 * size));
      }
    qInfo("%s: largest relative difference %.1e", text.c_str(), worst);
    QVERIFY(worst <= 1e-4);
  }

 private slots:
  void observedAttentionIsTheMeanOverThoseWhoSawIt() { compare("observed_attention", observed_attention); }

  void tovaIsTheLastTokensAttentionOverAllHeads() {
    const auto ours = scores("tova");
    for (int l = 0; l < shape.layers; ++l) {
      Row mean(tokens, 0.0);
      for (int h = 0; h < shape.kv_heads; ++h) {
        const Head head(context_, l, h);
        for (std::size_t g = 0; g < query_group; ++g) {
          const Row row = head.attention(g, tokens - 1);
          for (std::size_t t = 0; t < tokens; ++t) mean[t] += row[t] / (query_group * shape.kv_heads);
        }
      }
      for (const auto& head : ours[static_cast<std::size_t>(l)]) {
        for (std::size_t t = 0; t + 1 < tokens; ++t)
          QVERIFY(std::abs(static_cast<double>(head.scores[t]) - mean[t]) <= 1e-4 * mean[t]);
        QVERIFY(head.scores[tokens - 1] > 1);
        QCOMPARE(head.ranks[tokens - 1], 0);
      }
    }
  }

  void h2oKeepsTheRecentHalfAndTheHeaviestOfTheRest() {
    const auto method = method_of("h2o");
    const auto ours = method->scores(context_.cache, context_.observed).value();
    int compared = 0;
    for (int l = 0; l < shape.layers; ++l)
      for (int h = 0; h < shape.kv_heads; ++h) {
        const Row sums = drawn(Head(context_, l, h));
        const auto& ranks = ours.layers[static_cast<std::size_t>(l)][static_cast<std::size_t>(h)].ranks;
        for (std::size_t n = 1; n <= tokens; ++n) {
          const std::size_t recent = (n + 1) / 2, heavy = n / 2, rest = tokens - recent;
          std::vector<std::int32_t> order(rest);
          std::iota(order.begin(), order.end(), 0);
          std::ranges::sort(order, [&](auto a, auto b) {
            return sums[static_cast<std::size_t>(a)] > sums[static_cast<std::size_t>(b)];
          });
          if (heavy > 0 && heavy < rest &&
              sums[static_cast<std::size_t>(order[heavy - 1])] - sums[static_cast<std::size_t>(order[heavy])] < 1e-5)
            continue;
          order.resize(heavy);
          for (std::size_t t = rest; t < tokens; ++t) order.push_back(static_cast<std::int32_t>(t));
          std::ranges::sort(order);
          std::vector<std::int32_t> kept;
          for (std::size_t t = 0; t < tokens; ++t)
            if (static_cast<std::size_t>(ranks[t]) < n) kept.push_back(static_cast<std::int32_t>(t));
          QCOMPARE(kept, order);
          ++compared;
        }
      }
    QVERIFY(compared > 500);
  }

  void scissorhandsCountsHowOftenATokenDrewMoreThanItsShare() {
    compare("scissorhands(history=40,recent=5)", [](const Head& head) { return scissorhands(head, 40, 5); });
    compare("scissorhands",
            [](const Head& head) { return scissorhands(head, tokens, 10); });  // shorter than its history
  }

  void expectedAttentionIsThatOfNormalQueriesToCome() {
    compare(
        "expected_attention", [](const Head& head) { return expected_attention(head, 512, 4, 0); }, 4);
    compare("expected_attention(future=7,sinks=0,epsilon=0.01)",
            [](const Head& head) { return expected_attention(head, 7, 0, 0.01); });
  }

  void kvzipIsTheMostThatARepetitionReads() {
    compare("kvzip", [](const Head& head) { return kvzip(head, 4); });
    compare("kvzip(sinks=0)", [](const Head& head) { return kvzip(head, 0); });
  }

  void lagkvRanksWithinPartsAgainstTheNext() {
    compare("lagkv(lag=32)", [](const Head& head) { return lagkv(head, 4, 32); });
    compare("lagkv(sinks=0,lag=50)", [](const Head& head) { return lagkv(head, 0, 50); });
    // No part has a next one: recency decides.
    for (const auto& layer : scores("lagkv"))
      for (const auto& head : layer) QVERIFY(std::ranges::is_sorted(head.scores.begin() + 4, head.scores.end()));
  }

  void rkvIsImportanceLessRedundancy() {
    compare("r_kv", [](const Head& head) { return r_kv(head, 8, 7, 0.07); });
    compare("r_kv(window=16,kernel=3,lambda=0.9)", [](const Head& head) { return r_kv(head, 16, 3, 0.9); });
  }

  void rkvKeepsTheNewestOfCopies() {
    // Ten tokens three times over, equally attended to: the later a copy, the less it counts as said again.
    BlockPool pool({1, 1, 64, KvType::fp32}, 8, 1 << 20);
    KvCache cache(pool);
    Random random(5);
    const auto once = RandomContext::normals(10 * 64, 1, random), window = RandomContext::normals(8 * 64, 1, random);
    std::vector<float> rows;
    for (int copy = 0; copy < 3; ++copy) rows.insert(rows.end(), once.begin(), once.end());
    rows.insert(rows.end(), window.begin(), window.end());
    std::vector<std::int32_t> positions(38);
    std::iota(positions.begin(), positions.end(), 0);
    QVERIFY(cache.append(0, std::as_bytes(std::span(rows)), std::as_bytes(std::span(rows)), positions).has_value());
    Observation observed;
    observed.queries = {1, 8, {std::vector<float>(8 * 64, 0.0F)}};
    const auto scores = method_of("r_kv")->scores(cache, observed).value().layers[0][0].scores;
    for (std::size_t t = 0; t < 10; ++t) QVERIFY(scores[t] < scores[t + 10] && scores[t + 10] < scores[t + 20]);
  }

  void triattentionIsTheGeometryOfMeanQueries() { compare("triattention", triattention); }
  void pagedEvictionIsValueOverKey() { compare("paged_eviction", paged_eviction); }
  void inverseKeyNormIsKnorm() {
    QCOMPARE(method_of("inverse_key_norm(keep=high)")->text(), std::string("knorm(keep=high)"));
  }
};

KV_TEST_GUILESS_MAIN(ScorersTest)

}  // namespace scorers_test

#include "scorers_test.moc"
