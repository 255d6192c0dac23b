// links: kv_experiments
// Layers with a sliding window: a method removes tokens from the others, and these keep the tokens that later ones see.
#include <QTest>
#include <numeric>

#include "core/compress/budgets/budget.h"
#include "core/compress/method.h"
#include "core/compress/rerotate.h"
#include "tests/support/test_program.h"

namespace windows_test {

using namespace kvantage;

namespace {

constexpr std::size_t tokens = 10;

/// Three layers of two heads whose scores fall with the position: the first tokens are the best ones.
LayerScores falling_scores(std::vector<std::int32_t> windows) {
  LayerScores scores;
  scores.windows = std::move(windows);
  for (int layer = 0; layer < 3; ++layer) {
    auto& heads = scores.layers.emplace_back(2);
    for (LayerScores::Head& head : heads) {
      head.scores.resize(tokens);
      for (std::size_t t = 0; t < tokens; ++t) head.scores[t] = -static_cast<float>(t);
      rank(head);
    }
  }
  return scores;
}

std::vector<std::int32_t> numbers(std::int32_t first, std::int32_t last) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(last - first));
  std::iota(all.begin(), all.end(), first);
  return all;
}

}  // namespace

class WindowsTest : public QObject {
  Q_OBJECT

 private slots:
  void theyKeepWhatLaterTokensSee_data() {
    QTest::addColumn<QString>("method");
    for (const char* method : {"knorm", "adakv(knorm)", "global(knorm)", "pyramid(knorm)"})
      QTest::newRow(method) << method;
  }
  void theyKeepWhatLaterTokensSee() {
    QFETCH(QString, method);
    const auto parsed = parse_method(method.toStdString());
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
    const auto kept = (*parsed)->keep_for(falling_scores({4, 0, 4}), 0.5);
    QCOMPARE(kept.size(), std::size_t{3});
    for (const std::size_t layer : {std::size_t{0}, std::size_t{2}})
      for (const auto& head : kept[layer]) QCOMPARE(head, numbers(6, 10));
    // The only other layer gives as many as if it were alone.
    LayerScores alone = falling_scores({});
    alone.layers.resize(1);
    QVERIFY(kept[1] == (*parsed)->keep_for(alone, 0.5).front());
    QVERIFY(kept[1] != KeptIndices(2, numbers(0, 10)));
  }

  void aTextThatFitsIsCompressedEverywhere() {
    const auto method = parse_method("knorm").value();
    QVERIFY(method->keep_for(falling_scores({10, 0, 10}), 0.5) == method->keep_for(falling_scores({}), 0.5));
    for (const KeptIndices& layer : method->keep_for(falling_scores({10, 0, 10}), 0.5))
      for (const auto& head : layer) QCOMPARE(head, numbers(0, 5));
  }

  void removingNothingKeepsAll() {
    for (const KeptIndices& layer : parse_method("knorm").value()->keep_for(falling_scores({4, 0, 4}), 0.0))
      for (const auto& head : layer) QCOMPARE(head, numbers(0, 10));
  }

  // A layer may hold fewer rows than the context has tokens; indices are those of its rows.
  void aLayerWithoutUnseenRowsKeepsTheSameTokens() {
    LayerScores scores = falling_scores({4, 0, 4});
    scores.length = tokens;
    for (LayerScores::Head& head : scores.layers[0]) {
      head.scores.resize(4);  // tokens 6 to 9
      rank(head);
    }
    QVERIFY(scores.passes_window(0) && !scores.passes_window(1) && scores.passes_window(2));
    const auto method = parse_method("knorm").value();
    const auto kept = method->keep_for(scores, 0.5), whole = method->keep_for(falling_scores({4, 0, 4}), 0.5);
    for (const auto& head : kept[0]) QCOMPARE(head, numbers(0, 4));
    QVERIFY(kept[1] == whole[1] && kept[2] == whole[2]);
    const auto all = method->keep_for(scores, 0.0);
    for (const auto& head : all[0]) QCOMPARE(head, numbers(0, 4));
    for (const auto& head : all[1]) QCOMPARE(head, numbers(0, 10));
  }

  void aModelOfWindowsAloneKeepsThem() {
    const auto kept = parse_method("knorm").value()->keep_for(falling_scores({4, 4, 3}), 0.9);
    for (const auto& head : kept[1]) QCOMPARE(head, numbers(6, 10));
    for (const auto& head : kept[2]) QCOMPARE(head, numbers(7, 10));
  }

  // A model whose layers rotate differently has no frequencies of its own.
  void keysAreNotMovedWithoutFrequencies() {
    const KvShape shape{1, 1, 8, KvType::fp32};
    BlockPool pool(shape, 32, std::size_t{1} << 20);
    const auto moved = rerotated(KvCache(pool), {});
    QVERIFY(!moved && moved.error().code == ErrorCode::rejected_input);
    QVERIFY(moved.error().message.find("rotate by different angles") != std::string::npos);
  }
};

KV_TEST_APPLESS_MAIN(WindowsTest)

}  // namespace windows_test

#include "windows_test.moc"
