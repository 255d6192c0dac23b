// links: kv_experiments
// Budgets against their definitions, worked out here token by token, and laws that hold for every score.
#include <set>

#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace budgets_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::array<double, 8> fractions{0.0, 0.05, 0.2, 0.5, 0.6, 0.75, 0.9, 0.99};

/// Scores without equals: heads of a layer differ in size so that what is shared out over heads differs, too.
LayerScores random_scores(std::size_t layers, std::size_t heads, std::size_t tokens, std::uint64_t seed) {
  Random random(seed);
  LayerScores scores;
  for (std::size_t l = 0; l < layers; ++l)
    for (auto& head : scores.layers.emplace_back(heads)) {
      const double size = 0.5 + random.uniform();
      for (std::size_t t = 0; t < tokens; ++t) head.scores.push_back(static_cast<float>(size * random.normal()));
      for (std::size_t t = 0; t < tokens; ++t)
        head.ranks.push_back(static_cast<std::int32_t>(
            std::ranges::count_if(head.scores, [&](float other) { return other > head.scores[t]; })));
    }
  return scores;
}

KeptIndices best(const std::vector<LayerScores::Head>& heads, std::size_t count) {
  KeptIndices kept;
  for (const auto& head : heads) {
    auto& indices = kept.emplace_back();
    for (std::size_t t = 0; t < head.ranks.size(); ++t)
      if (static_cast<std::size_t>(head.ranks[t]) < count) indices.push_back(static_cast<std::int32_t>(t));
  }
  return kept;
}

/// Takes the lowest of all unsafe tokens away, one by one.
std::vector<KeptIndices> take_lowest(const std::vector<std::vector<LayerScores::Head>>& layers, std::size_t count,
                                     std::size_t safe) {
  std::vector<KeptIndices> kept;
  for (const auto& heads : layers) kept.push_back(best(heads, heads[0].scores.size()));
  for (; count > 0; --count) {
    std::vector<std::int32_t>* from = nullptr;
    std::size_t place = 0;
    float lowest = HUGE_VALF;
    for (std::size_t l = 0; l < layers.size(); ++l)
      for (std::size_t h = 0; h < layers[l].size(); ++h)
        for (std::size_t i = 0; i < kept[l][h].size(); ++i) {
          const auto token = static_cast<std::size_t>(kept[l][h][i]);
          if (static_cast<std::size_t>(layers[l][h].ranks[token]) < safe || layers[l][h].scores[token] >= lowest)
            continue;
          lowest = layers[l][h].scores[token];
          from = &kept[l][h];
          place = i;
        }
    from->erase(from->begin() + static_cast<std::ptrdiff_t>(place));
  }
  return kept;
}

std::size_t total(const KeptIndices& heads) {
  std::size_t sum = 0;
  for (const auto& head : heads) sum += head.size();
  return sum;
}

}  // namespace

class BudgetsTest : public QObject {
  Q_OBJECT

  static void lengths() {
    QTest::addColumn<int>("tokens");
    for (const int tokens : {1, 2, 5, 19, 20, 21, 64, 130}) QTest::addRow("%d tokens", tokens) << tokens;
  }
  static LayerScores scoresOf(int tokens) { return random_scores(3, 4, static_cast<std::size_t>(tokens), 11); }

 private slots:
  void uniformKeepsTheBestOfEachHead_data() { lengths(); }
  void uniformKeepsTheBestOfEachHead() {
    QFETCH(int, tokens);
    const auto scores = scoresOf(tokens);
    for (const double removed : fractions)
      for (std::size_t l = 0; l < 3; ++l)
        QCOMPARE(method_of("uniform(random)")->keep_for(scores, removed)[l],
                 best(scores.layers[l], std::max<std::size_t>(1, static_cast<std::size_t>(tokens * (1 - removed)))));
  }

  void adakvDropsTheLowestOfALayerAboveTheSafeguard_data() { lengths(); }
  void adakvDropsTheLowestOfALayerAboveTheSafeguard() {
    QFETCH(int, tokens);
    const auto scores = scoresOf(tokens);
    for (const int safeguard : {0, 20, 50, 100})
      for (const double removed : fractions) {
        const auto method = method_of("adakv(random,safeguard=" + std::to_string(safeguard) + ")");
        const auto kept = method->keep_for(scores, removed);
        const std::size_t share = kept_tokens(static_cast<std::size_t>(tokens), removed);
        const auto safe =
            safeguard == 0
                ? 0
                : std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(share) * safeguard / 100.0));
        for (std::size_t l = 0; l < 3; ++l) {
          QCOMPARE(kept[l], take_lowest({scores.layers[l]}, 4 * (static_cast<std::size_t>(tokens) - share), safe)[0]);
          QCOMPARE(total(kept[l]), 4 * share);
          for (const auto& head : kept[l]) QVERIFY(head.size() >= safe);
          // All are safe: the same number in every head.
          if (safeguard == 100) QCOMPARE(kept[l], best(scores.layers[l], share));
        }
      }
  }

  void globalDropsTheLowestOfAllLayersAndHeads_data() { lengths(); }
  void globalDropsTheLowestOfAllLayersAndHeads() {
    QFETCH(int, tokens);
    const auto scores = scoresOf(tokens);
    for (const double removed : fractions) {
      const auto kept = method_of("global(random)")->keep_for(scores, removed);
      const auto all = static_cast<std::size_t>(12 * tokens),
                 drop = static_cast<std::size_t>(static_cast<double>(all) * removed);
      QCOMPARE(kept, take_lowest(scores.layers, drop, 0));
      QCOMPARE(total(kept[0]) + total(kept[1]) + total(kept[2]), all - drop);
    }
  }

  void chunksStayOrGoWhole_data() { lengths(); }
  void chunksStayOrGoWhole() {
    QFETCH(int, tokens);
    const auto scores = scoresOf(tokens);
    const auto count = static_cast<std::size_t>(tokens);
    for (const std::size_t length : {1U, 7U, 20U})
      for (const double removed : fractions) {
        const auto kept = method_of("chunkkv(random,length=" + std::to_string(length) + ")")->keep_for(scores, removed);
        for (std::size_t l = 0; l < 3; ++l) {
          if (count < length) {
            QCOMPARE(kept[l], best(scores.layers[l], kept_tokens(count, removed)));
            continue;
          }
          std::vector<std::pair<double, std::size_t>> chunks;
          for (std::size_t first = 0; first < count; first += length) {
            const std::size_t last = std::min(count, first + length);
            double sum = 0;
            for (const auto& head : scores.layers[l])
              for (std::size_t t = first; t < last; ++t) sum += static_cast<double>(head.scores[t]);
            chunks.emplace_back(-sum / static_cast<double>(last - first), first);
          }
          std::ranges::sort(chunks);
          std::vector<std::int32_t> expected;
          for (std::size_t c = 0;
               c <
               std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(chunks.size()) * (1 - removed)));
               ++c)
            for (std::size_t t = chunks[c].second; t < std::min(count, chunks[c].second + length); ++t)
              expected.push_back(static_cast<std::int32_t>(t));
          std::ranges::sort(expected);
          QCOMPARE(kept[l], KeptIndices(4, expected));
        }
      }
  }

  void pyramidFallsEvenlyFromLayerToLayer() {
    // S = 400, removed 0.5: C = 200, most = min(400 - 100/4, 400 - 8), least = 200/4: 350, 275, 200, 125, 50.
    const auto scores = random_scores(5, 1, 400, 3);
    const auto kept = method_of("pyramid(random,beta=4,window=8)")->keep_for(scores, 0.5);
    for (std::size_t l = 0; l < 5; ++l) {
      QCOMPARE(kept[l][0].size(), 350 - 75 * l);
      QCOMPARE(kept[l], best(scores.layers[l], 350 - 75 * l));
    }
    // Removed 0.4: C = 240, most = 420 > 392, so 392 and 88: the mean stays.
    std::size_t sum = 0;
    for (const auto& layer : method_of("pyramid(random,beta=4,window=8)")->keep_for(scores, 0.4)) sum += total(layer);
    QCOMPARE(sum, std::size_t{5 * 240});
  }

  void pyramidIsSnapkvWhereItsLeastLayerWouldLoseTheWindow() {
    // S = 4096, removed 0.75: C = 1024 and least = 51.2 < 64: every layer keeps the same, silently, as in kvpress.
    const auto scores = random_scores(2, 1, 1, 4);
    LayerScores long_scores = scores;
    for (auto& layer : long_scores.layers)
      for (auto& head : layer) {
        head.scores.resize(4096);
        head.ranks.resize(4096);
        for (std::size_t t = 0; t < 4096; ++t) {
          head.ranks[t] = static_cast<std::int32_t>(t * 2731 % 4096);
          head.scores[t] = static_cast<float>(4096 - head.ranks[t]);
        }
      }
    QCOMPARE(method_of("pyramid(random)")->keep_for(long_scores, 0.75),
             method_of("random")->keep_for(long_scores, 0.75));
    const auto kept = method_of("pyramid(random)")->keep_for(long_scores, 0.5);  // least = 102.4: a pyramid
    QVERIFY(kept[0][0].size() > kept[1][0].size());
    QCOMPARE(total(kept[0]) + total(kept[1]), std::size_t{4096});
  }

  void absoluteKeepsANumberOfTokens() {
    const auto scores = random_scores(2, 3, 100, 5);
    for (const std::size_t tokens : {1U, 40U, 100U, 1000U}) {
      const auto kept = method_of("absolute(random,tokens=" + std::to_string(tokens) + ")")->keep_for(scores, 0.3);
      for (std::size_t l = 0; l < 2; ++l) QCOMPARE(kept[l], best(scores.layers[l], std::min<std::size_t>(tokens, 100)));
    }
  }

  void impressTrustsProbesThatAgree() {
    for (const double removed : {0.2, 0.5, 0.8}) {
      for (int alike = 0; alike <= 100; alike += 10) {
        // Head h repeats head 0 up to a share of its tokens.
        LayerScores scores = random_scores(1, 5, 100, 6);
        auto& heads = scores.layers[0];
        for (std::size_t h = 1; h < 5; ++h) {
          for (std::size_t t = 0; t < static_cast<std::size_t>(alike); ++t) heads[h].scores[t] = heads[0].scores[t];
          for (std::size_t t = 0; t < 100; ++t)
            heads[h].ranks[t] = static_cast<std::int32_t>(
                std::ranges::count_if(heads[h].scores, [&](float other) { return other > heads[h].scores[t]; }));
        }
        const std::size_t count = kept_tokens(100, removed);
        const auto sets = best({heads[0], heads[1], heads[2]}, count);
        double jaccard = 0;
        std::set<std::int32_t> all;
        for (std::size_t a = 0; a < 3; ++a) {
          all.insert(sets[a].begin(), sets[a].end());
          for (std::size_t b = a + 1; b < 3; ++b) {
            int both = 0;
            for (const auto token : sets[a]) both += static_cast<int>(std::ranges::count(sets[b], token));
            jaccard += both / (2.0 * static_cast<double>(count) - both) / 3;
          }
        }
        const double kept_fraction = static_cast<double>(count) / 100;
        const bool trusted = jaccard >= std::pow(kept_fraction / (2 - kept_fraction), 0.6);
        const auto kept = method_of("impress(random)")->keep_for(scores, removed)[0];
        QCOMPARE(kept, trusted ? KeptIndices(5, {all.begin(), all.end()}) : best(heads, 100));
        if (alike == 100) QCOMPARE(kept, best(heads, count));
      }
    }
  }

  void removingNothingKeepsEverything_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("refused");
    for (const MethodInfo& scorer : known_methods())
      for (const BudgetInfo& budget : known_budgets())
        QTest::newRow((budget.name + "(" + scorer.name + ")").c_str())
            << QString::fromStdString(budget.name + "(" + scorer.name + ")") << refuses(budget.name, scorer);
  }
  void removingNothingKeepsEverything() {
    QFETCH(QString, text);
    QFETCH(bool, refused);
    static RandomContext context({2, 2, 16, KvType::bf16}, 150);
    if (const auto parsed = parse_method(text.toStdString()); refused || !parsed) {
      QVERIFY2(refused && !parsed, parsed ? "is not refused" : parsed.error().message.c_str());
      QCOMPARE(parsed.error().code, ErrorCode::usage);
      return;
    }
    const auto method = method_of(text.toStdString());
    const auto scores = method->scores(context.cache, context.observed).value();
    std::vector<std::int32_t> all(150);
    std::iota(all.begin(), all.end(), 0);
    for (const auto& layer : method->keep_for(scores, 0)) QCOMPARE(layer, KeptIndices(2, all));
  }

  void smallerBudgetsKeepSubsets_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"uniform(random)", "adakv(random,safeguard=0)", "global(random)", "chunkkv(random)"})
      QTest::newRow(text) << text;
  }
  void smallerBudgetsKeepSubsets() {
    QFETCH(QString, text);
    const auto scores = random_scores(2, 3, 200, 8);
    const auto method = method_of(text.toStdString());
    auto larger = method->keep_for(scores, 0);
    for (const double removed : fractions) {
      const auto kept = method->keep_for(scores, removed);
      for (std::size_t l = 0; l < 2; ++l)
        for (std::size_t h = 0; h < 3; ++h) QVERIFY(std::ranges::includes(larger[l][h], kept[l][h]));
      larger = kept;
    }
  }

  void headsThatDifferFreeTheirBytes() {
    // What kvpress masks, the pool gets back: at half the tokens, half the bytes, whichever heads they are of.
    for (const char* text : {"adakv(snapkv)", "global(kvzip)"}) {
      RandomContext context({2, 2, 16, KvType::bf16}, 512, every_query, 16);
      const std::size_t before = context.cache.payload_bytes(), blocks = context.pool.live_blocks();
      QVERIFY(compress(context.cache, context.observed, *method_of(text), 0.5).has_value());
      QCOMPARE(context.cache.payload_bytes(), before / 2);
      QVERIFY(context.pool.live_blocks() <= blocks / 2 + 4);  // a started block in each head
      QVERIFY(context.cache.kept(0, 0) != context.cache.kept(0, 1));
    }
  }

  void textsReadBack_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* text, const char* canonical) { QTest::newRow(text) << text << canonical; };
    row("adakv(snapkv)", "adakv(snapkv)");
    row("adakv(snapkv(window=32),safeguard=30)", "adakv(snapkv(window=32),safeguard=30)");
    row(" adakv( snapkv( kernel=7, window=32 ) , safeguard=20 ) ", "adakv(snapkv(window=32,kernel=7))");
    row("uniform(keydiff)", "keydiff");
    row("pyramid(snapkv,window=32,beta=020)", "pyramid(snapkv,window=32)");
    row("global(kvzip(sinks=0))", "global(kvzip(sinks=0))");
    row("absolute(tova,tokens=100)", "absolute(tova,tokens=100)");
    row("rerotate(streaming_llm)", "rerotate(streaming_llm)");
    row("rerotate(absolute(streaming_llm,tokens=64))", "rerotate(absolute(streaming_llm,tokens=64))");
    row("rerotate(chunkkv(knorm,length=8))", "rerotate(chunkkv(knorm,length=8))");
    row("adakv(inverse_key_norm)", "adakv(knorm)");
    row("adakv(expected_attention(epsilon=0.01))", "adakv(expected_attention(epsilon=0.01))");
    row("adakv(criticalkv(snapkv))", "adakv(criticalkv(snapkv))");
    row("criticalkv( snapkv , first=050 )", "criticalkv(snapkv)");
    row("rerotate(chunk(finch,length=256,scores=whole))", "rerotate(chunk(finch,length=256,scores=whole))");
    row("rerotate(block(keydiff))", "rerotate(block(keydiff))");
    row("global(kvzip,layerwise=yes)", "global(kvzip,layerwise=yes)");
    row("per_layer(knorm,removed=10/20/90)", "per_layer(knorm,removed=10/20/90)");
    row("dms(knorm,threshold=-3.50)", "dms(knorm,threshold=-3.5)");
  }
  void textsReadBack() {
    QFETCH(QString, text);
    QFETCH(QString, canonical);
    const auto method = method_of(text.toStdString());
    QCOMPARE(QString::fromStdString(method->text()), canonical);
    QCOMPARE(QString::fromStdString(method_of(method->text())->text()), canonical);
    QCOMPARE(method->info().rerotates, canonical.startsWith("rerotate"));
  }

  void badTextsSayHowToMendThem_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* text, const char* hint) { QTest::newRow(text) << text << hint; };
    row("adakw(snapkv)", "did you mean 'adakv'?");
    row("adakv(snapkw)", "did you mean 'snapkv'?");
    row("rerotat(snapkv)", "did you mean 'rerotate'?");
    row("adakv(snapkv,safegard=3)", "did you mean 'safeguard'?");
    row("adakv", "needs an inner method; give it one");
    row("rerotate", "needs an inner method; give it one");
    row("adakv(global(snapkv))", "one budget around one scorer");
    row("adakv(rerotate(snapkv))", "one budget around one scorer");
    row("rerotate(adakv(snapkv))", "same number of tokens in every head");
    row("rerotate(pyramid(snapkv))", "same number of tokens in every head");
    row("rerotate(global(kvzip))", "same number of tokens in every head");
    row("rerotate(rerotate(knorm))", "use rerotate once, outermost");
    row("rerotate(knorm,sinks=3)", "takes no parameters");
    row("snapkv(knorm)", "takes no inner method");
    row("adakv(snapkv,safeguard=101)", "from 0 to 100");
    row("chunkkv(snapkv,length=0)", "from 1 to 65536");
    row("absolute(snapkv,tokens=0)", "from 1 to 100000000");
    row("adakv(snapkv", "not of the form");
    row("r_kv(kernel=4)", "must be odd");
    row("criticalkv", "needs an inner method; give it one");
    row("criticalkv(adakv(snapkv))", "put budgets and rerotate around it");
    row("criticalkv(compactor)", "the same for every removed fraction");
    row("block(chunk(keydiff))", "the same for every removed fraction");
    row("block(snapkv)", "reads keys, values and positions alone");
    row("chunk(kvzip)", "kvzip needs scores=whole");
    row("adakv(block(keydiff))", "itself chooses how many tokens stay");
    row("adakv(simlayerkv)", "itself chooses how many tokens stay");
    row("rerotate(criticaladakv(snapkv))", "same number of tokens in every head");
    row("rerotate(duo_attention)", "same number of tokens in every head");
    row("per_layer(knorm,removed=10/200)", "percents from 0 to 99");
    row("entropy_chunkkv(knorm,spiky=10)", "must be less than length");
    row("simlayerkv(recent=1)", "must be more than last");
    row("compactor(blending=half)", "neither 'removed' nor a number");
  }
  void badTextsSayHowToMendThem() {
    QFETCH(QString, text);
    QFETCH(QString, hint);
    const auto method = parse_method(text.toStdString());
    QVERIFY(!method.has_value());
    QCOMPARE(method.error().code, ErrorCode::usage);
    QVERIFY2(QString::fromStdString(method.error().message).contains(hint), method.error().message.c_str());
    QVERIFY(method.error().message.find('\n') == std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(BudgetsTest)

}  // namespace budgets_test

#include "budgets_test.moc"
