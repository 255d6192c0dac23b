// links: core_store tiers
// The stage that computes a request's context, alone: the rows of a plain prefill, from the first token or behind a
// prefix that is in the cache.
#include "core/request/context_prefill_stage.h"

#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace context_prefill_stage_test {

using namespace kvantage;
using namespace kvantage::test;

int run(ContextPrefillStage& stage) {
  int steps = 0;
  for (; !stage.done(); ++steps) must(stage.compute());
  return steps;
}

class ContextPrefillStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void givesTheOriginalOfTheContext() {
    StageParts parts(64);
    RequestState state = parts.state();
    ContextPrefillStage stage(state, 0, true);
    QVERIFY(!stage.has_begun() && !stage.done() && stage.gives_original());
    const int steps = run(stage);
    QCOMPARE(steps, parts.layers() * parts.chunks_of(parts.tokens().size()));
    QVERIFY(stage.has_begun());
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    QCOMPARE(state.record.prefix_hit_tokens, 0);
    const WindowQueries queries = stage.take_queries();
    QCOMPARE(static_cast<int>(queries.layers.size()), parts.layers());
    QCOMPARE(queries.window, std::min(parts.runtime->window_queries, static_cast<int>(parts.tokens().size())));
    // The stepping clock moves once for each look: a step takes one of its steps.
    QVERIFY(std::abs(state.timing().context_prefill_seconds - 1e-3 * steps) < 1e-9);
    QCOMPARE(spans_of(state, RequestSpan::Kind::context_prefill), steps);
  }

  void continuesBehindAPrefix_data() {
    QTest::addColumn<bool>("exact");
    QTest::newRow("uncompressed") << true;
    QTest::newRow("compressed") << false;
  }
  void continuesBehindAPrefix() {
    QFETCH(bool, exact);
    StageParts parts(32);
    RequestState state = parts.state();
    state.cache = parts.computed();
    state.cache.truncate(64);
    state.cache.set_sequence_length(64);
    ContextPrefillStage stage(state, 64, exact);
    QCOMPARE(run(stage), parts.layers() * parts.chunks_of(parts.tokens().size() - 64));
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    QCOMPARE(state.record.prefix_hit_tokens, 64);
    QCOMPARE(stage.gives_original(), exact);
    QCOMPARE(stage.take_queries().empty(), !exact);
  }

  void aFullPoolLeavesTheStepToBeTriedAgain() {
    StageParts parts;
    RequestState state = parts.state();
    ContextPrefillStage stage(state, 0, true);
    parts.hold_all_blocks();
    const Status status = stage.compute();
    QVERIFY(!status && status.error().code == ErrorCode::no_space);
    QVERIFY(stage.has_begun() && !stage.done());
    QCOMPARE(state.timing().context_prefill_seconds, 0.0);
    parts.give_blocks_back();
    run(stage);
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
  }
};

KV_TEST_GUILESS_MAIN(ContextPrefillStageTest)

}  // namespace context_prefill_stage_test

#include "context_prefill_stage_test.moc"
