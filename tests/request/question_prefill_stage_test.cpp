// links: core_store tiers
// The stage that computes a request's question, alone: over a whole cache, and behind a source that brings the context
// one layer after the other.
#include "core/request/question_prefill_stage.h"

#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace question_prefill_stage_test {

using namespace kvantage;
using namespace kvantage::test;

/// Claims to have so many layers.
struct Source final : HitStage {
  Source() : HitStage(CacheHit{}) {}
  Status poll(double, int) override { return {}; }
  bool has_layer(int layer) const override { return layer < layers; }
  bool reading() const override { return true; }
  void fill_in(CacheUse&) override {}
  int layers = 0;
};

class QuestionPrefillStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void givesTheLogitsOfAPlainPrefill() {
    StageParts parts;
    RequestState state = parts.state();
    state.cache = parts.computed();
    KvCache plain = parts.computed();
    QuestionPrefillStage stage(state, nullptr);
    QCOMPARE(state.question_start, static_cast<std::int32_t>(parts.tokens().size()));
    int steps = 0;
    for (; stage.needs() == RequestNeed::compute; ++steps) must(stage.compute());
    QVERIFY(stage.done());
    QVERIFY(stage.needs() == RequestNeed::nothing);
    PrefillTask prefill(*parts.runtime->model, plain, state.input.question_tokens, state.question_start,
                        {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::last});
    must(prefill.run());
    QVERIFY(std::ranges::equal(stage.logits(), prefill.logits()));
    QCOMPARE(stage.rows_in_cache(), static_cast<int>(state.input.question_tokens.size()));
    QVERIFY(std::abs(state.timing().question_prefill_seconds - 1e-3 * steps) < 1e-9);
    QCOMPARE(spans_of(state, RequestSpan::Kind::question_prefill), steps);
  }

  // A cache that is still loading has seen no token, and the question follows the whole context all the same.
  void waitsForTheLayerThatItIsAboutToCompute() {
    StageParts parts;
    RequestState state = parts.state();
    Source source;
    QuestionPrefillStage stage(state, &source);
    QCOMPARE(state.cache.sequence_length(), 0);
    QCOMPARE(state.question_start, static_cast<std::int32_t>(parts.tokens().size()));
    for (int layer = 0; layer < parts.layers(); ++layer) {
      QVERIFY(stage.needs() == RequestNeed::bytes);
      QCOMPARE(stage.layers_needed(), layer + 1);
      source.layers = layer + 1;
      QVERIFY(stage.needs() == RequestNeed::compute);
      must(stage.compute());
    }
    QVERIFY(stage.done());
  }

  // Once the first chunk went through, all layers of the context are there.
  void laterChunksWaitForNothing() {
    StageParts parts(4);
    RequestState state = parts.state();
    QVERIFY(state.input.question_tokens.size() > 4);
    Source source;
    source.layers = parts.layers();
    QuestionPrefillStage stage(state, &source);
    for (int layer = 0; layer < parts.layers(); ++layer) must(stage.compute());
    source.layers = 0;
    QVERIFY(stage.needs() == RequestNeed::compute);
  }

  void startsWhereAWholeCacheEnds() {
    StageParts parts;
    RequestState state = parts.state();
    state.cache.set_sequence_length(7);
    Source source;
    source.layers = parts.layers();
    const QuestionPrefillStage stage(state, &source);
    QCOMPARE(state.question_start, 7);
  }

  void aFullPoolLeavesTheStepToBeTriedAgain() {
    StageParts parts;
    RequestState state = parts.state();
    QuestionPrefillStage stage(state, nullptr);
    parts.hold_all_blocks();
    const Status status = stage.compute();
    QVERIFY(!status && status.error().code == ErrorCode::no_space);
    QCOMPARE(stage.layers_needed(), 1);
    QCOMPARE(state.timing().question_prefill_seconds, 0.0);
    parts.give_blocks_back();
    must(stage.compute());
    QCOMPARE(stage.layers_needed(), 2);
  }
};

KV_TEST_GUILESS_MAIN(QuestionPrefillStageTest)

}  // namespace question_prefill_stage_test

#include "question_prefill_stage_test.moc"
