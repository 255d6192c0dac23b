// links: core_store tiers
// The stage of a hybrid prefill, alone: its rows are those of loading, however much is computed, and the record says
// how much that was.
#include "core/request/hybrid_prefill_stage.h"

#include <QtTest>

#include "core/request/compute_or_load_choice.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace hybrid_prefill_stage_test {

using namespace kvantage;
using namespace kvantage::test;

struct Stored : StageParts {
  Stored() : StageParts(256, 90) {
    store_context(*this, 0, {.tier = 0});
    hit = store->find(tokens()).value();
    pieces = static_cast<int>(context_pieces(*hit.header).value().size());
  }
  /// To compute so many pieces from the front.
  void choose(int computed_pieces) {
    ComputeOrLoadChoice choice{.stored = {.tier = hit.place.tier, .header = hit.header},
                               .options = {.tier = {0, 1e9, 0, 0}, .computed_pieces = computed_pieces},
                               .predicted_seconds = 0.25,
                               .load_alone_seconds = 0.5};
    hit.choice = std::make_shared<const ComputeOrLoadChoice>(std::move(choice));
  }
  CacheHit hit;
  int pieces = 0;
};

/// Until another stage follows.
void run(HybridPrefillStage& stage) {
  while (stage.next() == HitStage::Next::this_stage)
    must(stage.needs() == RequestNeed::compute ? stage.compute() : stage.poll(0.001, 1));
}

class HybridPrefillStageTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void beginsOnlyWhereItWasChosen() {
    Stored parts;
    RequestState state = parts.state();
    QVERIFY(HybridPrefillStage::begin(state, parts.hit, parts.lender) == nullptr);
    parts.choose(1);
    state.cache.set_sequence_length(1);  // it fills a cache that holds nothing
    QVERIFY(HybridPrefillStage::begin(state, parts.hit, parts.lender) == nullptr);
    state.cache.set_sequence_length(0);
    QVERIFY(HybridPrefillStage::begin(state, parts.hit, parts.lender) != nullptr);
  }

  void theFrontIsComputedAndTheBackLoaded() {
    Stored parts;
    QVERIFY(parts.pieces >= 2);
    parts.choose(1);
    RequestState state = parts.state();
    auto stage = HybridPrefillStage::begin(state, parts.hit, parts.lender);
    QVERIFY(stage != nullptr && stage->reading() && !stage->has_layer(0));
    run(*stage);
    QVERIFY(stage->next() == HitStage::Next::question);
    QVERIFY(!stage->reading() && stage->has_layer(parts.layers() - 1) && !stage->failure());
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    RequestRecord& record = state.record;
    stage->fill_in(record);
    QCOMPARE(record.compute_or_load.computed_tokens, 256);
    QCOMPARE(record.compute_or_load.loaded_tokens, static_cast<int>(parts.tokens().size()) - 256);
    QCOMPARE(record.compute_or_load.predicted_seconds, 0.25);
    QCOMPARE(record.compute_or_load.load_alone_seconds, 0.5);
    QVERIFY(record.compute_or_load.seconds > 0);
    QCOMPARE(record.source, std::string("dram"));
    QCOMPARE(record.prefix_hit_tokens, record.compute_or_load.loaded_tokens);
    QVERIFY(record.timing.context_prefill_seconds > 0 && record.timing.decode_seconds > 0);
    QVERIFY(record.bytes_loaded > 0 && record.bytes_loaded < parts.hit.info.bytes);
    QVERIFY(stage->load_sample().has_value());
    // One load of the mean size of its reads.
    const auto loaded_pieces = static_cast<std::uint64_t>(parts.pieces - 1);
    QCOMPARE(stage->load_sample()->bytes, record.bytes_loaded / loaded_pieces);
  }

  void whereAllOfItIsComputedItIsNoHit() {
    Stored parts;
    parts.choose(parts.pieces);
    RequestState state = parts.state();
    auto stage = HybridPrefillStage::begin(state, parts.hit, parts.lender);
    QVERIFY(stage != nullptr);
    run(*stage);
    QVERIFY(stage->next() == HitStage::Next::question);
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    stage->fill_in(state.record);
    QCOMPARE(state.record.source, std::string("prefill"));
    QCOMPARE(state.record.miss_reason, std::string(recompute_was_faster_reason));
    QCOMPARE(state.record.bytes_loaded, std::uint64_t{0});
    QVERIFY(!stage->load_sample());
  }

  // What cannot be read is computed; the store gets the reason.
  void anEntryThatIsGoneIsComputed() {
    Stored parts;
    parts.choose(1);
    must(parts.dram->erase(parts.hit.info.key));
    RequestState state = parts.state();
    auto stage = HybridPrefillStage::begin(state, parts.hit, parts.lender);
    QVERIFY(stage != nullptr);
    run(*stage);
    QVERIFY(stage->next() == HitStage::Next::question);
    QVERIFY(stage->failure().has_value());
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
    stage->fill_in(state.record);
    QCOMPARE(state.record.source, std::string("prefill"));
    QVERIFY(state.record.miss_reason != recompute_was_faster_reason);
    QVERIFY(!stage->load_sample());
  }

  void aFullPoolIsNoMiss() {
    Stored parts;
    parts.choose(parts.pieces);
    RequestState state = parts.state();
    auto stage = HybridPrefillStage::begin(state, parts.hit, parts.lender);
    QVERIFY(stage->needs() == RequestNeed::compute);
    parts.hold_all_blocks();
    const Status status = stage->compute();
    QVERIFY(!status && status.error().code == ErrorCode::no_space);
    QVERIFY(stage->next() == HitStage::Next::this_stage && !stage->failure());
    parts.give_blocks_back();
    run(*stage);
    QVERIFY(digest_of(state.cache) == digest_of(parts.computed()));
  }
};

KV_TEST_GUILESS_MAIN(HybridPrefillStageTest)

}  // namespace hybrid_prefill_stage_test

#include "hybrid_prefill_stage_test.moc"
