// links: core_store tiers
// The stage that loads a stored entry, alone: what comes in, what comes next, and what the record says of it.
#include "core/request/load_stage.h"

#include <QtTest>

#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace load_stage_test {

using namespace kvantage;
using namespace kvantage::test;

LoadStage stage_of(StageParts& parts, RequestState& state, const CacheHit& hit) {
  return {state, hit, hit.load(parts.lender)};
}

/// Until another stage follows.
void poll_until_next(LoadStage& stage) {
  while (stage.next() == HitStage::Next::this_stage) must(stage.poll(0.001, 1));
}

class LoadStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theQuestionMayFollowLayerByLayer() {
    StageParts parts;
    store_context(parts, 0, {.tier = 0});
    const CacheHit hit = parts.store->find(parts.tokens()).value();
    RequestState state = parts.state();
    LoadStage stage = stage_of(parts, state, hit);
    QVERIFY(stage.needs() == RequestNeed::bytes && stage.reading() && !stage.has_layer(0));
    poll_until_next(stage);
    QVERIFY(stage.next() == HitStage::Next::question);
    for (int layers = 1; layers <= parts.layers(); ++layers) {
      while (!stage.has_layer(layers - 1)) must(stage.poll(0.001, layers));
      if (layers < parts.layers()) QVERIFY(!stage.has_layer(layers));  // no more than was asked for
    }
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    QVERIFY(!stage.failure());

    RequestRecord& record = state.record;
    record.miss_reason = "first_contact";
    record.kept_tokens = 77;
    stage.fill_in(record);
    QVERIFY(!stage.reading());
    QVERIFY(stage.has_layer(parts.layers() - 1));
    QCOMPARE(record.source, std::string("dram"));
    QVERIFY(record.miss_reason.empty());
    QCOMPARE(record.prefix_hit_tokens, static_cast<int>(parts.tokens().size()));
    QVERIFY(record.provenance == Provenance::measured);
    QVERIFY(record.bytes_loaded > 0 && record.bytes_loaded <= hit.info.bytes);
    QVERIFY(record.timing.load_seconds > 0 && record.timing.decode_seconds > 0);
    QVERIFY(stage.load_sample().has_value());
    QCOMPARE(stage.load_sample()->bytes, record.bytes_loaded);
    QCOMPARE(stage.load_sample()->kept_tokens, 77);
    QCOMPARE(spans_of(state, RequestSpan::Kind::unpack), parts.layers());
  }

  void theHeaderIsReadWhereItIsNotKnown() {
    StageParts parts;
    store_context(parts, 0, {.tier = 0});
    CacheHit hit = parts.store->find(parts.tokens()).value();
    QVERIFY(hit.header != nullptr);
    hit.header = nullptr;
    RequestState state = parts.state();
    LoadStage stage = stage_of(parts, state, hit);
    poll_until_next(stage);
    QVERIFY(stage.next() == HitStage::Next::question);
    QVERIFY(stage.hit().header != nullptr);
    QVERIFY(stage.hit().header->token_ids == parts.tokens());
  }

  // The rest is computed in the chunks that it would have without a cache.
  void aPrefixIsUsedUpToAWholeChunk() {
    StageParts parts(growing_session(16, 3), {.prefill_chunk_tokens = 32, .name = {}, .load = {}});
    const std::size_t shorter = *parts.catalog->index_of_id("c0"), longer = *parts.catalog->index_of_id("longer");
    store_context(parts, shorter, {.tier = 0});
    const CacheHit hit = parts.store->find(parts.tokens(longer)).value();
    QCOMPARE(hit.context, shorter);
    RequestState state = parts.state(longer);
    LoadStage stage = stage_of(parts, state, hit);
    poll_until_next(stage);
    QVERIFY(stage.next() == HitStage::Next::rest_of_context);
    const std::size_t total = parts.tokens(longer).size();
    const std::size_t end =
        std::min(hit.prefix_tokens, total - static_cast<std::size_t>(parts.runtime->window_queries));
    QCOMPARE(stage.rest_from(), end / 32 * 32);
    QVERIFY(stage.rest_from() > 0);
    KvCache front = parts.computed(longer);
    front.truncate(static_cast<std::int32_t>(stage.rest_from()));
    front.set_sequence_length(static_cast<std::int32_t>(stage.rest_from()));
    QVERIFY(digest_of(state.cache) == digest_of(front));
  }

  void anEntryOfOtherTokensIsAMiss() {
    StageParts parts;
    store_context(parts, 0, {.tier = 0});
    const CacheHit hit = parts.store->find(parts.tokens()).value();
    RequestState state = parts.state();
    std::vector<std::int32_t> others = parts.tokens();
    ++others.back();
    state.input.context_tokens = others;
    LoadStage stage = stage_of(parts, state, hit);
    poll_until_next(stage);
    QVERIFY(stage.next() == HitStage::Next::miss);
    QVERIFY(stage.failure()->error.code == ErrorCode::corrupt);
    QVERIFY(stage.failure()->entry_is_lost());
  }

  void aReadThatFailsIsAMiss() {
    StageParts parts;
    store_context(parts, 0, {.tier = 0});
    const CacheHit hit = parts.store->find(parts.tokens()).value();
    must(parts.dram->erase(hit.info.key));
    RequestState state = parts.state();
    LoadStage stage = stage_of(parts, state, hit);
    for (int turn = 0; stage.next() != HitStage::Next::miss && turn < 1000; ++turn) must(stage.poll(0.001, 1));
    QVERIFY(stage.next() == HitStage::Next::miss);
    QVERIFY(stage.failure().has_value());
  }

  void anEntryInFlightComesFromMemoryAndTeachesNothing() {
    StageParts parts;
    compute_original(parts, 0, false);
    parts.dram->holds_writes = true;
    must(parts.store->commit({.context = parts.catalog->state(0).key,
                              .kind = ActionKind::store,
                              .from = {},
                              .to = {.tier = 0},
                              .reason = "by a test"}));
    const CacheHit hit = parts.store->find(parts.tokens()).value();
    QVERIFY(hit.place.bytes_in_flight != nullptr);
    RequestState state = parts.state();
    LoadStage stage = stage_of(parts, state, hit);
    poll_until_next(stage);
    must(stage.poll(0, parts.layers()));
    QVERIFY(stage.has_layer(parts.layers() - 1));
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    stage.fill_in(state.record);
    QCOMPARE(state.record.source, std::string(write_back_source));
    QVERIFY(!stage.load_sample());
  }

  void aFullPoolIsNoMiss() {
    StageParts parts;
    store_context(parts, 0, {.tier = 0});
    (void)parts.store->originals().forget();
    const CacheHit hit = parts.store->find(parts.tokens()).value();
    RequestState state = parts.state();
    LoadStage stage = stage_of(parts, state, hit);
    poll_until_next(stage);
    parts.hold_all_blocks();
    Status status;
    for (int turn = 0; status && turn < 1000; ++turn) status = stage.poll(0.001, 1);
    QVERIFY(!status && status.error().code == ErrorCode::no_space);
    QVERIFY(stage.next() == HitStage::Next::question && !stage.failure());
    parts.give_blocks_back();
  }
};

KV_TEST_GUILESS_MAIN(LoadStageTest)

}  // namespace load_stage_test

#include "load_stage_test.moc"
