// links: core_scheduler tiers
// What is reported of the pool while requests decode, and each compaction pass as an event.
#include "core/scheduler/pool_sampler.h"

#include <QtTest>

#include "tests/scheduler/batch_parts.h"
#include "tests/support/test_program.h"

namespace pool_sampler_test {

using namespace kvantage;
using namespace kvantage::test;

class PoolSamplerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theReportIsOfPoolAndCaches() {
    BatchParts made;
    PoolSampler sampler(made.parts.services(), made.counters);
    const BlockPool& pool = *made.parts.runtime->pool;
    const PoolReport empty = sampler.report(made.batch);
    QCOMPARE(empty.capacity_blocks, std::uint64_t{pool.capacity_blocks()});
    QVERIFY(empty.requests == 0 && empty.live_slots == 0 && empty.step_seconds == 0);

    const KvCache& cache = made.at(made.add_decoding(1)).task->cache();
    const PoolReport alone = sampler.report(made.batch);
    QCOMPARE(alone.requests, 1);
    QCOMPARE(alone.live_slots, std::uint64_t{cache.kept_rows()});
    QCOMPARE(alone.request_bytes, std::uint64_t{cache.held_bytes()});
    QVERIFY(alone.shared_slots == 0 && alone.dead_slots == 0);
    QVERIFY(alone.budget_slots == 0 && alone.in_flight.answers == 0);  // no eviction

    const KvCache other = cache.share();
    const PoolReport shared = sampler.report(made.batch);
    QCOMPARE(shared.shared_slots, shared.live_slots);
    QCOMPARE(shared.shared_blocks, shared.live_blocks);
  }

  // At every token the holes are closed: each pass is an event, and their sums are those of the record.
  void everyPassIsAnEvent() {
    BatchParts made;
    made.evict("knorm(budget=25%,compact_every=1)");
    PoolSampler sampler(made.parts.services(), made.counters);
    RequestTask& task = *made.at(made.add_decoding(7)).task;
    const PoolReport cut = sampler.report(made.batch);
    QCOMPARE(cut.budgeted_slots, cut.live_slots);
    QCOMPARE(cut.budgeted_slots, cut.budget_slots);  // the prompt has just been cut to it
    QVERIFY(cut.in_flight.answers == 1 && cut.in_flight.evicted_entries > 0 && cut.in_flight.blocks_freed > 0);
    QCOMPARE(cut.decoding.answers, std::uint64_t{0});

    std::uint64_t steps = 0;
    for (; !task.done(); ++steps) {
      made.decode_token();
      sampler.publish_passes(made.batch);
      sampler.sample(made.batch, false);
    }
    QVERIFY(steps > 0);
    const CompactionCounts& counts = task.record().decoding.compactions;
    const auto passes = made.parts.sink.all<events::CacheCompacted>();
    QCOMPARE(counts.passes, steps);
    QCOMPARE(passes.size(), std::size_t{steps});
    CompactionCounts sums;
    for (const events::CacheCompacted& pass : passes) {
      QCOMPARE(pass.request, std::uint64_t{7});
      QCOMPARE(pass.context_id, task.record().context_id);
      QCOMPARE(pass.decoded_tokens, ++sums.passes);
      sums.blocks_freed += pass.blocks_freed;
      sums.slot_copies += pass.slot_copies;
      sums.seconds += pass.seconds;
    }
    QCOMPARE(sums.blocks_freed, counts.blocks_freed);
    QCOMPARE(sums.slot_copies, counts.slot_copies);
    QVERIFY(sums.slot_copies > 0 && qFuzzyCompare(sums.seconds, counts.seconds));
    QCOMPARE(sampler.report(made.batch).in_flight.answers, std::uint64_t{0});  // it is done
    QCOMPARE(sampler.report(made.batch).dead_slots, std::uint64_t{0});
  }

  void aSampleIsDueAfterSomeTokensAndAtTheEnd() {
    BatchParts made;
    PoolSampler sampler(made.parts.services(), made.counters);
    const auto samples = [&] { return made.parts.sink.all<events::PoolSampled>(); };
    for (std::uint64_t step = 1; step < PoolSampler::decode_steps_apart; ++step) {
      made.counters.note_decode_step(0.25);
      sampler.sample(made.batch, false);
    }
    QVERIFY(samples().empty());
    made.counters.note_decode_step(0.25);
    sampler.sample(made.batch, false);
    QCOMPARE(samples().size(), std::size_t{1});
    QCOMPARE(samples()[0].pool.step_seconds, 0.25);
    sampler.sample(made.batch, false);
    QCOMPARE(samples().size(), std::size_t{1});
    made.counters.note_decode_step(0.5);
    sampler.sample(made.batch, true);
    QCOMPARE(samples().back().pool.step_seconds, 0.5);  // since the sample before
    sampler.sample(made.batch, true);
    QCOMPARE(samples().back().pool.step_seconds, 0.5);  // nothing was decoded since
    QCOMPARE(samples().size(), std::size_t{3});

    made.counters.reset();
    sampler.begin_run();
    made.counters.note_decode_step(0.125);
    sampler.sample(made.batch, true);
    QCOMPARE(samples().back().pool.step_seconds, 0.125);
  }
};

KV_TEST_GUILESS_MAIN(PoolSamplerTest)

}  // namespace pool_sampler_test

#include "pool_sampler_test.moc"
