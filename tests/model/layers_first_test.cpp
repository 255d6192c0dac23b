// links: kv_experiments kv_tiers
// A prefill that takes each layer of all chunks before the next layer gives the bits of one that takes chunk by chunk.
#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace layers_first_test {

using namespace kvantage;
using namespace kvantage::test;

class LayersFirstTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theBitsAreTheSame_data() {
    QTest::addColumn<int>("chunk_tokens");
    QTest::addColumn<int>("logits");
    for (const int chunk : {1, 32, 100, 100000})
      for (const PrefillLogits logits : {PrefillLogits::none, PrefillLogits::last, PrefillLogits::all})
        QTest::addRow("%d tokens a chunk, logits %d", chunk, static_cast<int>(logits))
            << chunk << static_cast<int>(logits);
  }
  void theBitsAreTheSame() {
    QFETCH(const int, chunk_tokens);
    QFETCH(const int, logits);
    StageParts parts(chunk_tokens, 8);
    struct Result {
      Digest128 rows;
      std::vector<float> logits;
      WindowQueries queries;
    };
    const auto prefilled_so = [&](bool layers_first) {
      KvCache cache(*parts.runtime->pool);
      PrefillTask prefill(*parts.runtime->model, cache, parts.tokens(), 0,
                          {.chunk_tokens = chunk_tokens,
                           .window_queries = 40,
                           .logits = static_cast<PrefillLogits>(logits),
                           .layers_first = layers_first});
      const int steps = prefill.steps_left();
      for (int step = 0; !prefill.done(); ++step) {
        if (prefill.steps_left() != steps - step) qFatal("%d steps are left", prefill.steps_left());
        const int chunk = layers_first ? step % prefill.chunks() : step / parts.layers();
        const int layer = layers_first ? step / prefill.chunks() : step % parts.layers();
        if (prefill.next_chunk() != chunk || prefill.next_layer() != layer) qFatal("step %d is out of order", step);
        must(prefill.step());
      }
      if (prefill.steps_left() != 0) qFatal("steps are left");
      return Result{
          digest_of(cache), {prefill.logits().begin(), prefill.logits().end()}, prefill.take_window_queries()};
    };
    const Result chunks_first = prefilled_so(false), layers_first = prefilled_so(true);
    QVERIFY(layers_first.rows == chunks_first.rows);
    QCOMPARE(layers_first.logits, chunks_first.logits);
    QCOMPARE(layers_first.logits.empty(), static_cast<PrefillLogits>(logits) == PrefillLogits::none);
    QVERIFY(layers_first.queries.layers == chunks_first.queries.layers);
  }

  // Blocks that are full leave it at its step, which is then taken again.
  void aFullPoolIsNoLoss() {
    StageParts parts(32, 8);
    const Digest128 expected = digest_of(parts.computed());
    KvCache cache(*parts.runtime->pool);
    PrefillTask prefill(*parts.runtime->model, cache, parts.tokens(), 0,
                        {.chunk_tokens = 32, .logits = PrefillLogits::none, .layers_first = true});
    int refused = 0;
    while (!prefill.done()) {
      const bool hold = refused < 3 && prefill.next_chunk() == 1;
      if (hold) parts.hold_all_blocks();
      const Status stepped = prefill.step();
      if (hold) parts.give_blocks_back();
      if (stepped) continue;
      QVERIFY(stepped.error().code == ErrorCode::no_space);
      ++refused;
    }
    QVERIFY(refused > 0);
    QVERIFY(digest_of(cache) == expected);
  }
};

KV_TEST_GUILESS_MAIN(LayersFirstTest)

}  // namespace layers_first_test

#include "layers_first_test.moc"
