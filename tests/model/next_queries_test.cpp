// links: kv_experiments kv_tiers
// The queries of a layer ahead of its step: those that the step itself computes, and no step notices.
#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace next_queries_test {

using namespace kvantage;
using namespace kvantage::test;

class NextQueriesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theyAreThoseOfTheStep_data() {
    QTest::addColumn<int>("chunk_tokens");
    for (const int chunk : {1, 3, 5, 256}) QTest::addRow("%d tokens a chunk", chunk) << chunk;
  }
  void theyAreThoseOfTheStep() {
    QFETCH(const int, chunk_tokens);
    StageParts parts(chunk_tokens, 8);
    const std::vector<std::int32_t>& question = parts.catalog->details(0).questions[0].tokens;
    QVERIFY(question.size() > 5);
    const KvCache context = parts.computed();
    const auto prefill_of = [&](KvCache& cache) {
      return PrefillTask(*parts.runtime->model, cache, question, static_cast<std::int32_t>(parts.tokens().size()),
                         {.chunk_tokens = chunk_tokens,
                          .window_queries = static_cast<int>(question.size()),
                          .logits = PrefillLogits::last,
                          .layers_first = true});
    };
    KvCache plain = context.share(), asked = context.share();
    PrefillTask expected = prefill_of(plain), prefill = prefill_of(asked);
    must(expected.run());
    std::vector<std::vector<float>> queries;
    while (!prefill.done()) {
      if (prefill.next_chunk() == 0) {
        queries.push_back(prefill.next_queries().value());
        QVERIFY(prefill.next_queries().value() == queries.back());  // as often as one likes
      } else {
        QCOMPARE(prefill.next_queries().error().code, ErrorCode::internal);  // too late
      }
      must(prefill.step());
    }
    QVERIFY(queries == prefill.take_window_queries().layers);
    QVERIFY(queries == expected.take_window_queries().layers);
    QVERIFY(std::ranges::equal(prefill.logits(), expected.logits()));
    QVERIFY(test::digest_of(asked) == test::digest_of(plain));
    QVERIFY(!prefill.next_queries());
  }

  void chunksInTurnHaveNone() {
    StageParts parts(4, 8);
    KvCache cache = parts.computed();
    PrefillTask prefill(*parts.runtime->model, cache, parts.catalog->details(0).questions[0].tokens,
                        static_cast<std::int32_t>(parts.tokens().size()), {.chunk_tokens = 4});
    QVERIFY(prefill.chunks() > 1);
    QCOMPARE(prefill.next_queries().error().code, ErrorCode::internal);
    must(prefill.run());
  }
};

KV_TEST_GUILESS_MAIN(NextQueriesTest)

}  // namespace next_queries_test

#include "next_queries_test.moc"
