// links: kv_experiments
// What each eviction method drops while decoding, against its paper's formula in plain loops, in double, over rows
// gathered from the cache: three evictions in every layer and head, over a dense cache and over one with holes.
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>

#include "tests/compress/decoding_prompt.h"
#include "tests/support/test_program.h"

namespace decode_choices_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

double dot(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double norm(const Row& row) { return std::sqrt(dot(row, row)); }
Row softmax(Row logits) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (double& value : logits) sum += value = std::exp(value - most);
  for (double& value : logits) value /= sum;
  return logits;
}

/// One KV head as a step found it.
struct Head {
  Rows keys, values;                    // [kept][dim]
  std::vector<std::int32_t> positions;  // [kept]
  std::vector<std::int32_t> pages;      // [kept], place in the block table
};

Head read(const KvCache& cache, int layer, int head) {
  const KvShape& shape = cache.shape();
  const auto kept = static_cast<std::size_t>(cache.kept(layer, head)), dim = static_cast<std::size_t>(shape.head_dim);
  std::vector<std::byte> keys(kept * dim * bytes_of(shape.type)), values(keys.size());
  Head rows;
  rows.positions.resize(kept);
  cache.gather_head(layer, head, keys.data(), values.data(), rows.positions.data());
  const auto number = [&](const std::vector<std::byte>& bytes, std::size_t i) {
    std::uint32_t bits = 0;  // bf16 is the upper half of a float
    const std::size_t size = bytes_of(shape.type);
    std::memcpy(reinterpret_cast<char*>(&bits) + (4 - size), &bytes[i * size], size);
    return static_cast<double>(std::bit_cast<float>(bits));
  };
  for (std::size_t t = 0; t < kept; ++t) {
    rows.keys.emplace_back();
    rows.values.emplace_back();
    for (std::size_t c = 0; c < dim; ++c) {
      rows.keys.back().push_back(number(keys, t * dim + c));
      rows.values.back().push_back(number(values, t * dim + c));
    }
    rows.pages.push_back(cache.head(layer, head).slot(t) / cache.pool().block_tokens());
  }
  return rows;
}

/// What the formulas of one layer remember of the steps before; by original position, so that nothing has to follow
/// rows.
struct Memory {
  std::vector<std::map<std::int32_t, double>> sums;                // [kv_heads], h2o
  std::vector<std::map<std::int32_t, std::deque<double>>> shares;  // [kv_heads], scissorhands, newest last
  std::deque<std::vector<Rows>> queries;                           // [steps][kv_heads][group][dim]
};

struct Scored {
  Rows scores;       // [kv_heads][kept]: the lowest go
  int recent = 0;    // newest rows that stay
  double slack = 0;  // how far fp32 may be off
};

constexpr int scissor_history = 4, kv_window = 8, kv_kernel = 7;

/// R-KV's I: the largest weight over a group's queries, mean over the queries of the last steps.
Row kv_importance(const Head& head, const std::deque<std::vector<Rows>>& queries, std::size_t h, std::size_t scored) {
  const std::size_t dim = head.keys[0].size();
  Row importance(scored, 0.0);
  for (const std::vector<Rows>& step : queries) {
    Row logits(scored, -1e300);
    for (const Row& query : step[h])
      for (std::size_t t = 0; t < scored; ++t)
        logits[t] = std::max(logits[t], dot(query, head.keys[t]) / std::sqrt(static_cast<double>(dim)));
    const Row weights = softmax(logits);
    for (std::size_t t = 0; t < scored; ++t) importance[t] += weights[t] / static_cast<double>(queries.size());
  }
  return importance;
}

/// R-KV's R: how alike a key is to others, the last one above the threshold left out. borders: a cosine is on the
/// threshold, where fp32 may decide otherwise.
Row kv_redundancy(const Head& head, bool& borders) {
  const std::size_t kept = head.keys.size();
  Row alike(kept, 0.0);
  for (std::size_t i = 0; i < kept; ++i) {
    Row cosines(kept, 0.0);
    std::size_t last = kept;
    for (std::size_t t = 0; t < kept; ++t) {
      if (t == i) continue;
      cosines[t] = dot(head.keys[i], head.keys[t]) / norm(head.keys[i]) / norm(head.keys[t]);
      borders |= std::abs(cosines[t] - 0.5) < 1e-6;
      if (cosines[t] > 0.5) last = t;
    }
    if (last < kept) cosines[last] = 0;
    for (std::size_t t = 0; t < kept; ++t) alike[t] += cosines[t] / static_cast<double>(kept);
  }
  return softmax(alike);
}

/// lambda I - (1 - lambda) R.
Row r_kv_scores(const Head& head, const Memory& memory, std::size_t h, bool& borders) {
  const std::size_t kept = head.keys.size(), scored = kept - std::size_t{kv_window};
  Row scores(kept, 0.0);
  const Row importance = kv_importance(head, memory.queries, h, scored), redundancy = kv_redundancy(head, borders);
  for (std::size_t t = 0; t < scored; ++t) {
    double pooled = 0;
    for (std::size_t n = t - std::min<std::size_t>(t, kv_kernel / 2); n <= std::min(scored - 1, t + kv_kernel / 2); ++n)
      pooled = std::max(pooled, importance[n]);
    scores[t] = 0.07 * pooled - 0.93 * redundancy[t];
  }
  return scores;
}

Row triattention_scores(const Prefilled& from, int layer, std::size_t h, const Head& head, std::int32_t now) {
  const std::size_t kept = head.keys.size(), half = head.keys[0].size() / 2;
  Row scores(kept, 0.0);
  const QueryMeans::Layer& means = from.observed.calibration.layers[static_cast<std::size_t>(layer)];
  for (std::size_t t = 0; t < kept; ++t) {
    scores[t] = -1e300;
    for (std::size_t g = 0; g < static_cast<std::size_t>(from.group()); ++g) {
      const std::size_t query = h * static_cast<std::size_t>(from.group()) + g;
      double sum = 0;
      for (std::size_t f = 0; f < half; ++f) {
        const double omega = static_cast<double>(from.setting.frequencies[f]);
        const std::complex<double> mean{static_cast<double>(means.real[query * half + f]),
                                        static_cast<double>(means.imaginary[query * half + f])};
        const std::complex<double> key =
            std::complex<double>{head.keys[t][f], head.keys[t][f + half]} * std::polar(1.0, -omega * head.positions[t]);
        for (int d = 0; d < 17; ++d) {
          const double distance = now - head.positions[t] + static_cast<double>(1 << d);
          sum += std::abs(mean) * std::abs(key) * std::cos(omega * distance + std::arg(mean * std::conj(key))) / 17;
        }
        sum += (static_cast<double>(means.magnitude[query * half + f]) - std::abs(mean)) * std::abs(key);
      }
      scores[t] = std::max(scores[t], sum);
    }
  }
  return scores;
}

/// ||k||^2 and ||v||^2 as shares of every 16 rows, their product as a share of all; the sinks stay.
Row cur_scores(const Head& head) {
  const std::size_t kept = head.keys.size();
  Row scores(kept, 0.0);
  double all = 0;
  for (std::size_t first = 0; first < kept; first += 16) {
    double keys = 0, values = 0;
    for (std::size_t t = first; t < std::min(kept, first + 16); ++t) {
      keys += dot(head.keys[t], head.keys[t]);
      values += dot(head.values[t], head.values[t]);
    }
    for (std::size_t t = first; t < std::min(kept, first + 16); ++t)
      all += scores[t] = dot(head.keys[t], head.keys[t]) / keys * dot(head.values[t], head.values[t]) / values;
  }
  for (std::size_t t = 0; t < kept; ++t) scores[t] = t < 4 ? 1 : scores[t] / all;
  return scores;
}

/// The formulas. attention [kv_heads][group][kept] of this step; excess: rows that have to go.
Scored scores_of(const std::string& name, const Prefilled& from, int layer, const std::vector<Head>& heads,
                 const std::vector<Rows>& attention, const Memory& memory, int excess, std::int32_t now) {
  Scored result;
  const std::size_t kept = heads[0].keys.size(), dim = heads[0].keys[0].size();
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const Head& head = heads[h];
    Row scores(kept, 0.0);
    if (name == "streaming_llm") {  // the oldest behind the sinks
      for (std::size_t t = 0; t < kept; ++t) scores[t] = t < 4 ? 1e9 : static_cast<double>(t);
      result.recent = 1;
    } else if (name == "h2o") {  // least attention from the prompt on, outside the newest half of the budget
      for (std::size_t t = 0; t < kept; ++t) scores[t] = memory.sums[h].at(head.positions[t]);
      result.recent = (static_cast<int>(kept) - excess) / 2;
      result.slack = 1e-5;
    } else if (name == "scissorhands") {  // mean of 1[weight >= 1 / rows] over the last `history` steps
      for (std::size_t t = 0; t < kept; ++t) {
        const auto seen = memory.shares[h].find(head.positions[t]);
        scores[t] = 1;
        if (seen != memory.shares[h].end())
          scores[t] =
              std::accumulate(seen->second.begin(), seen->second.end(), 0.0) / static_cast<double>(seen->second.size());
      }
      result.recent = 10;
    } else if (name == "tova") {  // weight of the newest query, mean over all query heads
      for (const Rows& group : attention)
        for (const Row& weights : group)
          for (std::size_t t = 0; t < kept; ++t) scores[t] += weights[t];
      result.recent = 1;
      result.slack = 1e-6;
    } else if (name == "knorm") {
      for (std::size_t t = 0; t < kept; ++t) scores[t] = -norm(head.keys[t]);
      result.recent = 1;
      result.slack = 1e-4;
    } else if (name == "keydiff") {  // -mean cosine to all keys
      Row mean(dim, 0.0);
      for (const Row& key : head.keys)
        for (std::size_t c = 0; c < dim; ++c) mean[c] += key[c] / norm(key) / static_cast<double>(kept);
      for (std::size_t t = 0; t < kept; ++t) scores[t] = -dot(head.keys[t], mean) / norm(head.keys[t]) / norm(mean);
      result.recent = 1;
      result.slack = 1e-5;
    } else if (name == "cur") {
      scores = cur_scores(head);
      result.recent = 1;
      result.slack = 1e-6;
    } else if (name == "r_kv") {
      bool borders = false;
      scores = r_kv_scores(head, memory, h, borders);
      result.recent = kv_window;
      result.slack = std::max(result.slack, borders ? 1e-4 : 1e-7);
    } else if (name == "triattention") {
      scores = triattention_scores(from, layer, h, head, now);
      result.recent = 1;
      result.slack = 1e-3;
    }
    result.scores.push_back(std::move(scores));
  }
  return result;
}

/// Rows of the pages of lowest mean ||v|| / ||k||, page by page, the newest left out, until `excess` are found.
std::vector<std::int32_t> lowest_pages(const Head& head, int excess) {
  std::map<std::int32_t, std::pair<double, std::vector<std::int32_t>>> pages;
  for (std::size_t t = 0; t < head.keys.size(); ++t) {
    auto& [sum, rows] = pages[head.pages[t]];
    sum += norm(head.values[t]) / norm(head.keys[t]);
    rows.push_back(static_cast<std::int32_t>(t));
  }
  pages.erase(std::prev(pages.end()));
  std::vector<std::int32_t> dropped;
  while (static_cast<int>(dropped.size()) < excess) {
    auto lowest = pages.end();
    double least = 1e300;
    for (auto page = pages.begin(); page != pages.end(); ++page) {
      const double mean = page->second.first / static_cast<double>(page->second.second.size());
      if (mean < least) {
        least = mean;
        lowest = page;
      }
    }
    dropped.insert(dropped.end(), lowest->second.second.begin(), lowest->second.second.end());
    pages.erase(lowest);
  }
  return dropped;
}

/// Wraps the loop: reads the rows that a step found, lets the loop evict, and compares what was evicted with the
/// formula.
struct Judge final : DecodeHooks {
  std::string name;
  const Prefilled& from;
  EvictionLoop& loop;
  int budget;
  bool page_by_page = false;  // a filled page costs one page, whatever the budget
  std::vector<Memory> layers;
  int evictions = 0, exact = 0, near = 0;  // evictions: of one head in one step

  Judge(std::string method, const Prefilled& prefilled, const KvCache& prompt, EvictionLoop& driven, int budget_tokens)
      : name(std::move(method)),
        from(prefilled),
        loop(driven),
        budget(budget_tokens),
        layers(static_cast<std::size_t>(from.setting.layers)) {
    for (int l = 0; l < from.setting.layers; ++l) {
      Memory& memory = layers[static_cast<std::size_t>(l)];
      memory.sums.resize(static_cast<std::size_t>(from.setting.kv_heads));
      memory.shares.resize(memory.sums.size());
      if (name == "h2o")
        for (int h = 0; h < from.setting.kv_heads; ++h)
          sum_prompt(prompt, l, h, memory.sums[static_cast<std::size_t>(h)]);
    }
  }

  /// Attention of all of the prompt's queries under the causal mask, mean over the group.
  void sum_prompt(const KvCache& prompt, int layer, int h, std::map<std::int32_t, double>& sums) const {
    const Head head = read(prompt, layer, h);
    const std::size_t dim = head.keys[0].size(), group = static_cast<std::size_t>(from.group());
    const std::vector<float>& queries = from.observed.queries.layers[static_cast<std::size_t>(layer)];
    for (std::size_t g = 0; g < group; ++g)
      for (std::size_t i = 0; i < head.keys.size(); ++i) {
        const auto first =
            queries.begin() +
            static_cast<std::ptrdiff_t>(((static_cast<std::size_t>(h) * group + g) * head.keys.size() + i) * dim);
        const Row query(first, first + static_cast<std::ptrdiff_t>(dim));
        Row logits;
        for (std::size_t t = 0; t <= i; ++t)
          logits.push_back(dot(query, head.keys[t]) / std::sqrt(static_cast<double>(dim)));
        const Row weights = softmax(logits);
        for (std::size_t t = 0; t <= i; ++t) sums[head.positions[t]] += weights[t] / static_cast<double>(group);
      }
  }

  Status after_layer(KvCache& cache, int layer, std::span<const float> queries) override {
    const auto kv_heads = static_cast<std::size_t>(from.setting.kv_heads),
               group = static_cast<std::size_t>(from.group()), dim = static_cast<std::size_t>(from.setting.head_dim);
    Memory& memory = layers[static_cast<std::size_t>(layer)];
    std::vector<Head> heads;
    std::vector<Rows> attention(kv_heads), asked(kv_heads);
    for (std::size_t h = 0; h < kv_heads; ++h) {
      heads.push_back(read(cache, layer, static_cast<int>(h)));
      const Head& head = heads.back();
      std::vector<double> share(head.keys.size(), 0.0);
      for (std::size_t g = 0; g < group; ++g) {
        const auto first = queries.begin() + static_cast<std::ptrdiff_t>((h * group + g) * dim);
        asked[h].emplace_back(first, first + static_cast<std::ptrdiff_t>(dim));
        Row logits;
        for (const Row& key : head.keys)
          logits.push_back(dot(asked[h].back(), key) / std::sqrt(static_cast<double>(dim)));
        attention[h].push_back(softmax(logits));
        for (std::size_t t = 0; t < share.size(); ++t) {
          const double weight = attention[h].back()[t];
          memory.sums[h][head.positions[t]] += weight / static_cast<double>(group);
          if (weight >= 1.0 / static_cast<double>(share.size())) share[t] += 1.0 / static_cast<double>(group);
        }
      }
      for (std::size_t t = 0; t < share.size(); ++t) {
        std::deque<double>& seen = memory.shares[h][head.positions[t]];
        seen.push_back(share[t]);
        if (seen.size() > scissor_history) seen.pop_front();
      }
    }
    memory.queries.push_back(asked);
    if (memory.queries.size() > kv_window) memory.queries.pop_front();

    if (const auto status = loop.after_layer(cache, layer, queries); !status) return status;
    const int excess = static_cast<int>(heads[0].keys.size()) - budget;
    std::vector<std::vector<std::int32_t>> dropped(kv_heads);
    for (std::size_t h = 0; h < kv_heads; ++h) {
      const std::vector<std::int32_t> left = read(cache, layer, static_cast<int>(h)).positions;
      for (std::size_t t = 0; t < heads[h].positions.size(); ++t)
        if (!std::ranges::binary_search(left, heads[h].positions[t]))
          dropped[h].push_back(static_cast<std::int32_t>(t));
    }
    if (dropped[0].empty()) return {};
    if (name == "paged_eviction") {
      std::vector<std::vector<std::int32_t>> expected;
      std::size_t fewest = SIZE_MAX;  // heads stay equally long
      for (const Head& head : heads)
        fewest = std::min(fewest, expected.emplace_back(lowest_pages(head, page_by_page ? 1 : excess)).size());
      for (std::size_t h = 0; h < kv_heads; ++h) {
        expected[h].resize(fewest);
        std::ranges::sort(expected[h]);
        count(dropped[h] == expected[h], false);
      }
      return {};
    }
    const Scored expected = scores_of(name, from, layer, heads, attention, memory, excess, cache.sequence_length());
    for (std::size_t h = 0; h < kv_heads; ++h) compare(dropped[h], expected.scores[h], expected, excess);
    return {};
  }

  void count(bool same, bool close) {
    ++evictions;
    exact += same;
    near += !same && close;
  }
  /// The same rows, or rows whose scores fp32 cannot distinguish from those at the cut.
  void compare(const std::vector<std::int32_t>& dropped, const Row& scores, const Scored& expected, int excess) {
    std::vector<std::int32_t> order(scores.size() - static_cast<std::size_t>(expected.recent));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int32_t t) { return scores[static_cast<std::size_t>(t)]; });
    order.resize(static_cast<std::size_t>(excess));
    const double cut = scores[static_cast<std::size_t>(order.back())];
    const bool close =
        dropped.size() == order.size() && std::ranges::all_of(dropped, [&](std::int32_t t) {
          const double score = scores[static_cast<std::size_t>(t)];
          return static_cast<std::size_t>(t) < scores.size() - static_cast<std::size_t>(expected.recent) &&
                 score <= cut + expected.slack * std::max(1e-12, std::abs(cut));
        });
    std::ranges::sort(order);
    count(dropped == order, close);
  }
};

/// Rows of a layer to begin with: scattered, other ones in each head, equally many of each page of eight.
KeptIndices holes(const KvCache& cache, int layer, Random& random) {
  KeptIndices drops(static_cast<std::size_t>(cache.shape().kv_heads));
  for (auto& head : drops)
    for (int page = 0; (page + 1) * 8 <= cache.kept(layer, 0); ++page) {
      const int first = static_cast<int>(random.below(7)),
                second = first + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(7 - first)));
      head.push_back(page * 8 + first);
      head.push_back(page * 8 + second);
    }
  return drops;
}

}  // namespace

class DecodeChoicesTest : public QObject {
  Q_OBJECT
  std::unique_ptr<Prefilled> prefilled_;

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor ../shared/data holds one");
    prefilled_ = std::make_unique<Prefilled>();
  }

  void threeEvictionsAreThoseOfTheFormula_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("with_holes");
    for (const DecodeMethodInfo& info : known_eviction_methods())
      for (const bool with_holes : {false, true})
        QTest::addRow("%s, %s", std::string(info.name).c_str(), with_holes ? "holes" : "dense")
            << QString::fromStdString(std::string(info.name)) << with_holes;
  }
  void threeEvictionsAreThoseOfTheFormula() {
    QFETCH(QString, name);
    QFETCH(bool, with_holes);
    Prompt prompt(*prefilled_, 8);
    const std::string text =
        name.toStdString() + (name == "scissorhands" ? "(history=" + std::to_string(scissor_history) + ")" : "");
    auto eviction_method = prompt.eviction_method(text);
    if (with_holes) {  // behind begin(), so that what was seen of the prompt has to follow, too
      Random random(11);
      for (int l = 0; l < prompt.setting.layers; ++l) {
        const KeptIndices drops = holes(prompt.cache, l, random);
        QVERIFY(prompt.cache.evict(l, drops).has_value());
        eviction_method->dropped(l, drops);
      }
      QVERIFY(prompt.cache.dead_slots() > 1000);
    }
    // Five rows come between evictions, eight between those of pages; the first takes what the prompt has too many of.
    const bool pages = name == "paged_eviction";
    const int budget = prompt.cache.kept(0, 0) - 40, cadence = 5;
    const SystemClock clock;
    EvictionLoop loop(std::move(eviction_method), prompt.setting,
                      {.budget_tokens = budget,
                       .cadence = cadence,
                       .compaction = with_holes ? CompactionKind::none : CompactionKind::repack,
                       .compact_every = cadence},
                      clock);
    Judge judge(name.toStdString(), *prefilled_, *prefilled_->cache, loop, budget);
    int before = 0, rounds = 0;
    for (int i = 0; i < (pages ? 24 : 3 * cadence); ++i) {
      prompt.step(20 + i, &judge);
      rounds += judge.evictions > before;
      before = judge.evictions;
    }
    const int heads = prompt.setting.layers * prompt.setting.kv_heads;
    qInfo("%d evictions of a head: %d the same rows, %d others at the cut within fp32's reach", judge.evictions,
          judge.exact, judge.near);
    QVERIFY(rounds >= 3);
    QCOMPARE(judge.evictions, rounds * heads);
    QCOMPARE(judge.exact + judge.near, judge.evictions);
    QVERIFY(judge.near * 2 <= judge.evictions);  // weights of attention below 1e-38 are all the same to fp32
    if (with_holes) QVERIFY(prompt.cache.dead_slots() > 0);
  }

  // Algorithm 3 as printed has no guard: each page that fills costs one, so that the cache never grows by a whole page.
  // With above_budget nothing goes while there is room.
  void aFilledPageCostsOneOnlyAsPrinted_data() {
    QTest::addColumn<QString>("when");
    QTest::addColumn<bool>("printed");
    QTest::newRow("the default") << "" << false;
    QTest::newRow("above_budget") << "(evict_when=above_budget)" << false;
    QTest::newRow("page_full") << "(evict_when=page_full)" << true;
  }
  void aFilledPageCostsOneOnlyAsPrinted() {
    QFETCH(QString, when);
    QFETCH(bool, printed);
    constexpr int page = 8, budget = 100'000;
    Prompt prompt(*prefilled_, page);
    const SystemClock clock;
    EvictionLoop loop(prompt.eviction_method("paged_eviction" + when.toStdString()), prompt.setting,
                      {.budget_tokens = budget, .compaction = CompactionKind::none}, clock);
    Judge judge("paged_eviction", *prefilled_, *prefilled_->cache, loop, budget);
    judge.page_by_page = printed;
    const int heads = prompt.setting.layers * prompt.setting.kv_heads;
    int filled = 0;
    for (int i = 0; i < 5 * page; ++i) {
      prompt.step(20 + i, &judge);
      const int tokens = prompt_tokens + i + 1;
      filled += tokens % page == 0 ? 1 : 0;
      for (int l = 0; l < prompt.setting.layers; ++l)
        for (int h = 0; h < prompt.setting.kv_heads; ++h)
          QCOMPARE(prompt.cache.kept(l, h), tokens - (printed ? filled * page : 0));
      QCOMPARE(judge.evictions, printed ? filled * heads : 0);
    }
    QCOMPARE(filled, 5);
    QCOMPARE(judge.exact, judge.evictions);
    QCOMPARE(loop.counts().tokens_evicted, std::int64_t{printed ? filled * page * heads : 0});
    QCOMPARE(prompt.cache.dead_slots(), std::size_t{0});  // whole pages leave no hole
  }
};

KV_TEST_GUILESS_MAIN(DecodeChoicesTest)

}  // namespace decode_choices_test

#include "decode_choices_test.moc"
