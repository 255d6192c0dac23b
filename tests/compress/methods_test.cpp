// links: kv_experiments
// What holds for every method of the table, and what each one promises by definition.
#include "core/base/shown_text.h"
#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace methods_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<std::int32_t> positions_of(const KvCache& cache, int layer, int head) {
  std::vector<std::int32_t> positions(static_cast<std::size_t>(cache.kept(layer, head)));
  cache.gather_head(layer, head, nullptr, nullptr, positions.data());
  return positions;
}

const KvShape small{2, 2, 16, KvType::bf16};

}  // namespace

class MethodsTest : public QObject {
  Q_OBJECT

  static void everyMethod() {
    QTest::addColumn<QString>("text");
    for (const MethodInfo& info : known_methods())
      QTest::newRow(info.text.c_str()) << QString::fromStdString(info.text);
    for (const char* text :
         {"knorm(keep=high)", "snapkv(window=16,kernel=1)", "streaming_llm(sinks=0)", "random(seed=7)"})
      QTest::newRow(text) << text;
  }

 private slots:
  void removingNothingIsExact_data() { everyMethod(); }
  void removingNothingIsExact() {
    QFETCH(QString, text);
    RandomContext context(small, 200);
    const auto before = bytes_of_head(context.cache, 1, 1);
    const std::size_t blocks = context.pool.live_blocks();
    const auto method = method_of(text.toStdString());
    QVERIFY(compress(context.cache, context.observed, *method, 0.0).has_value());
    QCOMPARE(bytes_of_head(context.cache, 1, 1), before);
    // Not by the short cut alone: keeping all that a fraction of 0 keeps is exact, too.
    const auto scores = method->scores(context.cache, context.observed).value();
    const KvCache copy = compressed_copy(context.cache, scores, *method, 0.0).value();
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 2; ++h) {
        QCOMPARE(bytes_of_head(copy, l, h), bytes_of_head(context.cache, l, h));
        QCOMPARE(positions_of(copy, l, h), positions_of(context.cache, l, h));
      }
    QCOMPARE(context.pool.live_blocks(), blocks);
  }

  void keptCountsAreThoseOfKvpressAndSmallerBudgetsKeepSubsets_data() { everyMethod(); }
  void keptCountsAreThoseOfKvpressAndSmallerBudgetsKeepSubsets() {
    QFETCH(QString, text);
    const auto method = method_of(text.toStdString());
    if (!method->info().removes_tokens || !counts_tokens(method->text())) return;
    RandomContext context(small, 300);
    const auto scores = method->scores(context.cache, context.observed).value();
    std::vector<std::int32_t> larger(300);
    std::iota(larger.begin(), larger.end(), 0);
    for (const double removed : {0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 0.6, 0.77, 0.8, 0.9, 0.95, 0.999}) {
      const auto kept = method->keep_for(scores, removed);
      QCOMPARE(kept.size(), std::size_t{2});
      for (const auto& layer : kept)
        for (const auto& head : layer) {
          QCOMPARE(head.size(), std::max<std::size_t>(1, static_cast<std::size_t>(300 * (1 - removed))));
          QVERIFY(std::ranges::adjacent_find(head, std::greater_equal<>{}) == head.end());
          QVERIFY(head.front() >= 0 && head.back() < 300);
        }
      if (text != "compactor")  // which blends its scores by the fraction
        QVERIFY(std::ranges::includes(larger, kept[0][0]));
      larger = kept[0][0];
    }
    QCOMPARE(kept_tokens(10, 0.8), std::size_t{1});  // 10 * (1 - 0.8) is just below 2, as in kvpress
    QCOMPARE(kept_tokens(3, 0.99), std::size_t{1});
  }

  void removedTokensAreFreedInMemoryAndOnDisk_data() { everyMethod(); }
  void removedTokensAreFreedInMemoryAndOnDisk() {
    QFETCH(QString, text);
    const auto method = method_of(text.toStdString());
    if (!method->info().removes_tokens || !counts_tokens(method->text())) return;
    for (const double removed : {0.25, 0.5, 0.75}) {
      RandomContext context(small, 512);
      QCOMPARE(context.pool.live_blocks(), std::size_t{4 * 16});
      const auto kept = static_cast<std::size_t>(512 * (1 - removed));
      QVERIFY(compress(context.cache, context.observed, *method, removed).has_value());
      QCOMPARE(context.pool.live_blocks(), 4 * kept / 32);
      QCOMPARE(context.cache.payload_bytes(), kept * small.bytes_per_token());
      QCOMPARE(context.cache.sequence_length(), 512);
      EntryHeader header;
      header.token_ids.assign(512, 7);
      header.compression.method = method->text();
      header.compression.removed_fraction = removed;
      const auto entry = serialize(context.cache, header, nullptr).value();
      QCOMPARE(predicted_entry_bytes(small, 512, kept, method->text().size()), std::uint64_t{entry.size()});
    }
  }

  void aCopyLeavesTheOriginalUntouched_data() { everyMethod(); }
  void aCopyLeavesTheOriginalUntouched() {
    QFETCH(QString, text);
    const auto method = method_of(text.toStdString());
    if (!method->info().removes_tokens) return;
    RandomContext context(small, 257);
    const auto before = bytes_of_head(context.cache, 0, 1);
    const auto scores = method->scores(context.cache, context.observed).value();
    const KvCache copy = compressed_copy(context.cache, scores, *method, 0.6).value();
    QCOMPARE(bytes_of_head(context.cache, 0, 1), before);
    QCOMPARE(context.cache.kept(0, 1), 257);
    QVERIFY(compress(context.cache, context.observed, *method, 0.6).has_value());
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 2; ++h) {
        QCOMPARE(bytes_of_head(copy, l, h), bytes_of_head(context.cache, l, h));
        QCOMPARE(positions_of(copy, l, h), positions_of(context.cache, l, h));
      }
  }

  void blockSizeDecidesNothing_data() { everyMethod(); }
  void blockSizeDecidesNothing() {
    QFETCH(QString, text);
    const auto method = method_of(text.toStdString());
    RandomContext narrow(small, 300, every_query, 8), wide(small, 300, every_query, 128);
    const auto a = method->scores(narrow.cache, narrow.observed).value();
    const auto b = method->scores(wide.cache, wide.observed).value();
    for (std::size_t l = 0; l < 2; ++l)
      for (std::size_t h = 0; h < 2; ++h) QCOMPARE(a.layers[l][h].scores, b.layers[l][h].scores);
  }

  void shortContextsWork_data() { everyMethod(); }
  void shortContextsWork() {
    QFETCH(QString, text);
    const auto method = method_of(text.toStdString());
    for (const int tokens : {1, 2, 3, 4, 5, 16, 17, 63, 64, 65}) {
      RandomContext context(small, tokens);
      const double removed = method->info().removes_tokens ? 0.5 : 0.0;
      const auto status = compress(context.cache, context.observed, *method, removed);
      QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
      const bool all = removed == 0 || !counts_tokens(method->text());  // their windows are longer than that
      QCOMPARE(context.cache.kept(1, 1), all ? tokens : std::max(1, tokens / 2));
      QVERIFY(context.cache.pool().live_blocks() > 0);
    }
  }

  void everyTextFormReadsBack_data() { everyMethod(); }
  void everyTextFormReadsBack() {
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(method_of(text.toStdString())->text()), text);
  }

  void equalMethodsHaveEqualText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("canonical");
    QTest::newRow("defaults go") << "snapkv(window=64,kernel=5)"
                                 << "snapkv";
    QTest::newRow("order") << "snapkv( kernel=7, window=32 )"
                           << "snapkv(window=32,kernel=7)";
    QTest::newRow("numbers") << "streaming_llm(sinks=008)"
                             << "streaming_llm(sinks=8)";
    QTest::newRow("empty list") << " knorm() "
                                << "knorm";
    QTest::newRow("words") << "knorm(keep=low)"
                           << "knorm";
  }
  void equalMethodsHaveEqualText() {
    QFETCH(QString, text);
    QFETCH(QString, canonical);
    QCOMPARE(QString::fromStdString(method_of(text.toStdString())->text()), canonical);
  }

  void badTextIsOneClearLine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("names");
    QTest::newRow("near miss") << "snapvk"
                               << "did you mean 'snapkv'?";
    QTest::newRow("unknown") << "compressotron"
                             << "choose one of none, random, knorm, keydiff, snapkv, streaming_llm, tova, "
                                "observed_attention, h2o, scissorhands, expected_attention, kvzip, or see "
                                "kvantage-cli methods";
    QTest::newRow("beginning of several") << "s"
                                          << "choose one of snapkv, streaming_llm, scissorhands, simlayerkv";
    QTest::newRow("empty") << ""
                           << "not of the form";
    QTest::newRow("unclosed") << "snapkv(window=3"
                              << "not of the form";
    QTest::newRow("no value") << "snapkv(window)"
                              << "not of the form";
    QTest::newRow("trailing comma") << "snapkv(window=3,)"
                                    << "not of the form";
    QTest::newRow("rest") << "snapkv(window=3)x"
                          << "not of the form";
    QTest::newRow("nested") << "snapkv(window=(3))"
                            << "not of the form";
    QTest::newRow("unknown parameter") << "snapkv(windows=3)"
                                       << "did you mean 'window'?";
    QTest::newRow("no parameters") << "keydiff(window=3)"
                                   << "takes no parameters";
    QTest::newRow("twice") << "snapkv(window=3,window=4)"
                           << "given twice";
    QTest::newRow("type") << "snapkv(window=wide)"
                          << "give a value like 64";
    QTest::newRow("word") << "knorm(keep=3)"
                          << "give a value like low";
    QTest::newRow("range") << "snapkv(window=0)"
                           << "from 1 to 4096";
    QTest::newRow("choice") << "knorm(keep=middle)"
                            << "unknown keep 'middle'; choose one of low, high";
    QTest::newRow("even kernel") << "snapkv(kernel=4)"
                                 << "must be odd";
    QTest::newRow("huge") << "snapkv(window=99999999999999999999)"
                          << "give a value like 64";
  }
  void badTextIsOneClearLine() {
    QFETCH(QString, text);
    QFETCH(QString, names);
    const auto method = parse_method(text.toStdString());
    QVERIFY(!method.has_value());
    QCOMPARE(method.error().code, ErrorCode::usage);
    QVERIFY2(QString::fromStdString(method.error().message).contains(names), method.error().message.c_str());
    QVERIFY(method.error().message.find('\n') == std::string::npos);
    QVERIFY2(method.error().message.size() <= max_message_characters, method.error().message.c_str());
  }

  // Scorers before budgets and codecs, the well-known ones first: lists and messages begin with them.
  void theTableBeginsWithTheBaselines() {
    std::vector<std::string> first;
    for (const MethodInfo& info : known_methods())
      if (first.size() < 5) first.push_back(info.name);
    QCOMPARE(first, (std::vector<std::string>{"none", "random", "knorm", "keydiff", "snapkv"}));
  }

  void whatCannotBeScoredIsRefused() {
    RandomContext context(small, 200);
    const auto snapkv = method_of("snapkv");
    QCOMPARE(snapkv->scores(context.cache, Observation{}).error().code, ErrorCode::rejected_input);
    RandomContext few(small, 200, 20);
    QCOMPARE(snapkv->scores(few.cache, few.observed).error().code, ErrorCode::rejected_input);
    QVERIFY(method_of("snapkv(window=20)")->scores(few.cache, few.observed).has_value());
    KvCache empty(context.pool);
    QCOMPARE(method_of("knorm")->scores(empty, Observation{}).error().code, ErrorCode::rejected_input);
    for (const double removed : {-0.1, 1.0, 1.5, std::nan("")})
      QCOMPARE(compress(context.cache, Observation{}, *method_of("knorm"), removed).error().code, ErrorCode::usage);
    QCOMPARE(compress(context.cache, Observation{}, *method_of("none"), 0.5).error().code, ErrorCode::usage);
    QCOMPARE(context.cache.kept(0, 0), 200);
    // Compressed before: its last tokens are not where the queries were.
    QVERIFY(compress(context.cache, Observation{}, *method_of("knorm"), 0.5).has_value());
    QCOMPARE(snapkv->scores(context.cache, context.observed).error().code, ErrorCode::rejected_input);
    QVERIFY(context.cache.keep(0, {{0, 1}, {2}}).has_value());
    QCOMPARE(method_of("keydiff")->scores(context.cache, Observation{}).error().code, ErrorCode::rejected_input);
  }

  void streamingKeepsTheFirstFourAndTheMostRecent() {
    RandomContext context(small, 100);
    QVERIFY(compress(context.cache, Observation{}, *method_of("streaming_llm"), 0.75).has_value());
    std::vector<std::int32_t> expected{0, 1, 2, 3};
    for (int t = 79; t < 100; ++t) expected.push_back(t);
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 2; ++h) QCOMPARE(positions_of(context.cache, l, h), expected);
  }

  void knormKeepsLowNormsAndItsOppositeHighOnes() {
    KvShape shape{1, 1, 16, KvType::fp32};
    RandomContext context(shape, 100);
    const auto head = bytes_of_head(context.cache, 0, 0);
    std::vector<float> keys(100 * 16);
    std::memcpy(keys.data(), head.data(), keys.size() * sizeof(float));
    std::vector<std::pair<double, std::int32_t>> norms;
    for (std::size_t t = 0; t < 100; ++t) {
      double squares = 0;
      for (std::size_t c = 0; c < 16; ++c) squares += static_cast<double>(keys[t * 16 + c]) * keys[t * 16 + c];
      norms.emplace_back(squares, static_cast<std::int32_t>(t));
    }
    std::ranges::sort(norms);
    for (const bool high : {false, true}) {
      std::vector<std::int32_t> expected;
      for (std::size_t i = 0; i < 40; ++i) expected.push_back(norms[high ? 99 - i : i].second);
      std::ranges::sort(expected);
      const auto method = method_of(high ? "knorm(keep=high)" : "knorm");
      QCOMPARE(method->keep_for(method->scores(context.cache, Observation{}).value(), 0.6)[0][0], expected);
    }
  }

  void snapkvKeepsItsWindowWhileTheBudgetHoldsIt() {
    RandomContext context(small, 400);
    QVERIFY(compress(context.cache, context.observed, *method_of("snapkv"), 0.8).has_value());  // keeps 80
    for (int h = 0; h < 2; ++h) {
      const auto positions = positions_of(context.cache, 1, h);
      for (int t = 336; t < 400; ++t) QVERIFY(std::ranges::binary_search(positions, t));
    }
    QVERIFY(positions_of(context.cache, 1, 0) != positions_of(context.cache, 1, 1));
  }

  void snapkvKeepsTheNewestOfItsWindowBelowIt() {
    RandomContext context(small, 400);
    QVERIFY(compress(context.cache, context.observed, *method_of("snapkv"), 0.95).has_value());  // keeps 20 of 64
    std::vector<std::int32_t> newest(20);
    std::iota(newest.begin(), newest.end(), 380);
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 2; ++h) QCOMPARE(positions_of(context.cache, l, h), newest);
    RandomContext again(small, 400);
    QVERIFY(compress(again.cache, again.observed, *method_of("finch"), 0.95).has_value());
    QCOMPARE(positions_of(again.cache, 1, 1), newest);
  }

  void equalScoresKeepTheEarlierToken() {
    BlockPool pool({1, 1, 8, KvType::fp32}, 8, 1 << 16);
    KvCache cache(pool);
    const std::vector<float> ones(20 * 8, 1.0F);
    std::vector<std::int32_t> positions(20);
    std::iota(positions.begin(), positions.end(), 0);
    const auto bytes = std::as_bytes(std::span(ones));
    QVERIFY(cache.append(0, bytes, bytes, positions).has_value());
    QVERIFY(compress(cache, Observation{}, *method_of("knorm"), 0.5).has_value());
    positions.resize(10);
    QCOMPARE(positions_of(cache, 0, 0), positions);
  }

  void randomDependsOnItsSeedAlone() {
    RandomContext context(small, 300), other(small, 300, 64, 8);
    const auto kept = [](const char* text, const RandomContext& from) {
      const auto method = method_of(text);
      return method->keep_for(method->scores(from.cache, Observation{}).value(), 0.5);
    };
    QCOMPARE(kept("random(seed=3)", context), kept("random(seed=3)", other));
    QVERIFY(kept("random(seed=3)", context) != kept("random(seed=4)", context));
    const auto layers = kept("random", context);
    QVERIFY(layers[0][0] != layers[1][0] && layers[0][0] != layers[0][1]);
  }

  void weightsAreReadFromAFileOrRefusedByName_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no file") << "kvzap"
                             << "needs the weights of KVzap for this model; give the file";
    QTest::newRow("no gates") << "global(fastkvzip)"
                              << "needs the gates of Fast KVzip";
    QTest::newRow("pickle") << "fastkvzip(weights=gates.pt)"
                            << "a pickle file may run code";
    QTest::newRow("missing") << "kvzap(weights=/nowhere/model.safetensors)"
                             << "/nowhere/model.safetensors";
    QTest::newRow("pattern") << "duo_attention(pattern=/nowhere/heads.tsv)"
                             << "/nowhere/heads.tsv";
    QTest::newRow("statistics") << "expected_attention(stats=/nowhere)"
                                << "/nowhere";
  }
  void weightsAreReadFromAFileOrRefusedByName() {
    QFETCH(QString, text);
    QFETCH(QString, reason);
    const auto method = parse_method(text.toStdString());
    QVERIFY(!method.has_value());
    QVERIFY2(QString::fromStdString(method.error().message).contains(reason), method.error().message.c_str());
    QVERIFY(method.error().message.find('\n') == std::string::npos);
  }

  void methodsOfWeightsHaveNoDefaultForm() {
    const auto methods = weight_methods();
    QCOMPARE(methods.size(), std::size_t{2});
    for (const MethodInfo& info : methods) {
      QVERIFY(!parse_method(info.name).has_value());
      QVERIFY(!info.summary.empty() && !info.reads.empty() && !info.costs.empty());
    }
  }
};

KV_TEST_GUILESS_MAIN(MethodsTest)

}  // namespace methods_test

#include "methods_test.moc"
