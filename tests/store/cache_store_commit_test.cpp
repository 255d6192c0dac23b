// links: core_store tiers
// The only writer of the tiers: how it carries actions out, which are the test's here.
#include "core/store/cache_store.h"

#include <QtTest>

#include "core/ports/placement_reasons.h"
#include "tests/store/two_tier_store.h"
#include "tests/support/test_program.h"

namespace cache_store_commit_test {

using namespace kvantage;
using namespace kvantage::test;

class CacheStoreCommitTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // From its submission on a context counts as placed, and is served from the memory that is written from.
  void aWriteInFlightServesAndIsCommittedWhenItHasArrived() {
    TwoTierStore store;
    store.compute(0);
    QVERIFY(!store.find(0));
    QVERIFY(store.commit(0, in_dram));
    const std::uint64_t bytes = store.state(0).stored_bytes;
    QVERIFY(store.state(0).placement == in_dram && bytes == store.state(0).full_bytes);
    QVERIFY(!store.dram->contains(store.parts.catalog->details(0).entry.key));
    const CacheHit flying = store.find(0).value();
    QVERIFY(flying.place.bytes_in_flight != nullptr && flying.header != nullptr && flying.info.bytes == bytes);
    const Digest128 digest = store.read(flying);
    QVERIFY(store.committed().empty());
    store.store->finish_writes();
    const auto committed = store.committed();
    QCOMPARE(committed.size(), std::size_t{1});
    QVERIFY(committed[0].context_id == store.state(0).id && committed[0].action.to == in_dram);
    QVERIFY(committed[0].action.bytes_before == 0 && committed[0].action.bytes_after == bytes);
    QCOMPARE(committed[0].action.reason, std::string("by a test"));
    QCOMPARE(store.occupied("dram"), bytes);
    const CacheHit stored = store.find(0).value();
    QVERIFY(stored.place.bytes_in_flight == nullptr && stored.place.tier_name == "dram" && stored.header != nullptr);
    QVERIFY(store.read(stored) == digest);
    QVERIFY(store.failed().empty() && store.store->take_failed_writes().empty());
  }

  void anUnknownContextIsRefused() {
    TwoTierStore store;
    PlacementAction action = store.action(0, in_dram);
    action.context.low ^= 1;
    const Status status = store.store->commit(action);
    QVERIFY(!status && status.error().code == ErrorCode::internal);
    QVERIFY(store.parts.sink.events.empty());
  }

  // What an action says of where it starts from is replaced by what is so.
  void anEvictionErasesTheEntry() {
    TwoTierStore store;
    store.place(0, on_ssd);
    const std::uint64_t bytes = store.state(0).stored_bytes;
    PlacementAction action = store.action(0, {});
    action.from = half_in_dram;
    action.bytes_after = 77;
    QVERIFY(store.store->commit(action));
    QVERIFY(!store.state(0).placement.stored() && !store.find(0) && store.ssd->entries().empty());
    QCOMPARE(store.committed().size(), std::size_t{1});
    const PlacementAction committed = store.committed()[0].action;
    QVERIFY(committed.from == on_ssd && committed.bytes_before == bytes && committed.bytes_after == 0);
    QCOMPARE(store.occupied("ssd"), std::uint64_t{0});
    QVERIFY(store.state(0).archived);
  }

  // A tier never holds both versions, so that one that holds exactly one entry has room for its successor.
  void theOldEntryGoesBeforeTheNewOneComes() {
    TwoTierStore store;
    store.place(0, in_dram);
    store.dram->set_capacity(store.state(0).full_bytes);
    store.dram->holds_writes = true;
    QVERIFY(store.commit(0, half_in_dram));
    QVERIFY(store.dram->entries().empty());
    store.dram->finish_held_write();
    store.store->finish_writes();
    QCOMPARE(store.committed().size(), std::size_t{1});
    QVERIFY(store.find(0)->method == "knorm" && store.find(0)->kept_map != nullptr);
    QVERIFY(store.commit(0, in_dram));
    store.dram->finish_held_write();
    store.store->finish_writes();
    QCOMPARE(store.committed().size(), std::size_t{2});
    QVERIFY(store.dram->used_bytes() == store.state(0).full_bytes && store.find(0)->method == "none");
  }

  // A move needs no original: what is stored is read, or what is still being written is written elsewhere.
  void aMoveTakesTheEntryAsItIs() {
    for (const bool in_flight : {false, true}) {
      TwoTierStore store;
      store.compute(0, false);
      QVERIFY(store.commit(0, half_in_dram));
      (void)store.store->originals().forget();
      if (!in_flight) store.store->finish_writes();
      const Digest128 digest = store.read(store.find(0).value());
      const Configuration half_on_ssd{1, half_in_dram.method, half_in_dram.removed_fraction};
      QVERIFY(store.commit(0, half_on_ssd));
      store.store->finish_writes();
      QVERIFY(store.dram->entries().empty() && store.ssd->entries().size() == 1);
      const CacheHit moved = store.find(0).value();
      QVERIFY(moved.place.tier_name == "ssd" && moved.method == "knorm" && moved.removed_fraction == 0.5);
      QVERIFY(store.read(moved) == digest);
      QVERIFY(store.all<events::ReadFailed>().empty());
      QVERIFY(store.store->take_failed_writes().empty());
    }
  }

  void aMoveThatCannotReadTheEntryIsMadeOfTheOriginal() {
    for (const bool archived : {true, false}) {
      TwoTierStore store;
      store.place(0, in_dram);
      if (!archived) must(store.archive->erase(store.archive->entries()[0].key));
      store.dram->write_by_others(damaged(entry_of(store.parts, 0, in_dram)));
      const Status status = store.commit(0, on_ssd);
      QCOMPARE(status.has_value(), archived);
      store.store->finish_writes();
      const auto reads = store.all<events::ReadFailed>();
      QVERIFY(!reads.empty() && reads[0].tier == "dram" && reads[0].dropped);
      QVERIFY(reads[0].reason.starts_with("corrupt: "));
      QVERIFY(store.dram->entries().empty());
      QCOMPARE(store.find(0).has_value(), archived);
      if (!archived) {
        QVERIFY(status.error().code == ErrorCode::not_found);
        QVERIFY(store.failed().size() == 1 && !store.failed()[0].left.stored());
      }
    }
  }

  // What cannot be made leaves the context where it is.
  void anActionThatCannotBeMadeChangesNothing() {
    TwoTierStore store;
    store.place(0, in_dram);
    const Status status = store.commit(0, {.tier = 1, .method = "nosuch", .removed_fraction = 0.5});
    QVERIFY(!status && status.error().code == ErrorCode::usage);
    QVERIFY(store.state(0).placement == in_dram && store.find(0) && store.dram->entries().size() == 1);
    QCOMPARE(store.failed().size(), std::size_t{1});
    QVERIFY(store.failed()[0].left == in_dram && store.failed()[0].reason == status.error().message);
    QVERIFY(store.failed()[0].action.bytes_after == 0);
    QVERIFY(store.committed().empty() && store.store->take_failed_writes().empty());
  }

  void aLaterActionSupersedesAWriteInFlight() {
    TwoTierStore store;
    store.compute(0);
    store.dram->holds_writes = true;
    QVERIFY(store.commit(0, in_dram));
    QVERIFY(store.commit(0, on_ssd));
    QCOMPARE(store.failed().size(), std::size_t{1});
    QVERIFY(store.failed()[0].reason == superseded_reason && store.failed()[0].action.to == in_dram);
    QCOMPARE(store.dram->held_writes(), std::size_t{0});
    QVERIFY(store.state(0).placement == on_ssd);
    store.store->finish_writes();
    QVERIFY(store.committed().size() == 1 && store.committed()[0].action.bytes_before == 0);
    QVERIFY(store.ssd->entries().size() == 1 && store.dram->entries().empty());
    QVERIFY(store.store->take_failed_writes().empty());  // nobody has to decide again
    QVERIFY(store.dram->holds_writes && store.commit(0, in_dram) && store.commit(0, {}));
    QVERIFY(!store.state(0).placement.stored());
    QCOMPARE(store.dram->held_writes(), std::size_t{0});
  }

  void aFailedWriteLeavesTheContextNotStored() {
    TwoTierStore store;
    store.compute(0);
    store.dram->holds_writes = true;
    QVERIFY(store.commit(0, in_dram));
    store.dram->fail_held_write();
    QVERIFY(store.state(0).placement.stored());  // nobody has looked
    store.store->poll();
    QVERIFY(!store.state(0).placement.stored() && store.state(0).stored_bytes == 0 && !store.find(0));
    QCOMPARE(store.failed().size(), std::size_t{1});
    QVERIFY(!store.failed()[0].left.stored() && store.failed()[0].action.bytes_after == 0);
    QVERIFY(store.failed()[0].reason.find("worn out") != std::string::npos);
    QCOMPARE(store.occupied("dram"), std::uint64_t{0});
    QVERIFY((store.store->take_failed_writes() == std::vector<Digest128>{store.state(0).key}));
    QVERIFY(store.store->take_failed_writes().empty());
  }

  void aTierBeyondItsBudgetRefusesTheWrite() {
    TwoTierStore store;
    store.compute(0);
    store.dram->set_capacity(store.state(0).full_bytes - 1);
    QVERIFY(store.commit(0, in_dram));
    store.store->finish_writes();
    QVERIFY(!store.state(0).placement.stored() && store.dram->entries().empty());
    QCOMPARE(store.failed().size(), std::size_t{1});
    QCOMPARE(store.store->take_failed_writes().size(), std::size_t{1});
  }

  // An earlier version that was out of reach may be where the write failed: it is found again.
  void whatLiesWhereAWriteFailedIsFoundAgain() {
    TwoTierStore store;
    store.compute(0);
    const SerializedEntry earlier = entry_of(store.parts, 0, in_dram);
    store.dram->write_by_others({earlier.info, earlier.bytes});
    store.store->tiers().note_seen(0);
    store.dram->refuses_writes = true;
    QVERIFY(store.commit(0, in_dram));
    store.store->finish_writes();
    QVERIFY(!store.state(0).placement.stored());
    QVERIFY(store.store->sync(0));
    QVERIFY(store.state(0).placement == in_dram);
  }

  void whereTooMuchIsInFlightAnActionWaitsOrIsRefused() {
    TwoTierStore store;
    store.store->writes().set_max_bytes(1);
    for (const std::size_t context : {0, 1}) {
      store.compute(context);
      store.store->finish_writes();
    }
    store.place(2, on_ssd);
    QVERIFY(!store.store->is_held_up(store.action(0, in_dram)));
    store.compute(0);
    QVERIFY(store.commit(0, in_dram));
    QVERIFY(store.store->is_held_up(store.action(1, in_dram)));
    QVERIFY(!store.store->is_held_up(store.action(2, {})));  // an eviction writes nothing
    QVERIFY(store.store->commit(store.action(2, {}), CacheStore::Backlog::refuse));
    const Status refused = store.store->commit(store.action(1, in_dram), CacheStore::Backlog::refuse);
    QVERIFY(!refused && refused.error().code == ErrorCode::no_space);
    QVERIFY(!store.state(1).placement.stored() && store.failed().size() == 1);
    QVERIFY(store.failed()[0].reason.find("still being written") != std::string::npos);
    QVERIFY(store.commit(1, in_dram));  // it waits for the first one
    QVERIFY(store.dram->contains(store.parts.catalog->details(0).entry.key));
    QVERIFY(store.state(1).placement == in_dram && store.find(1)->place.bytes_in_flight != nullptr);
    store.store->finish_writes();
    QCOMPARE(store.dram->entries().size(), std::size_t{2});
  }

  // What waits for a write that does not end is freed by a stop: the write is given up, and its context not stored.
  void aStopGivesUpWhatIsWaitedFor() {
    TwoTierStore store;
    store.compute(0);
    store.store->finish_writes();
    store.store->writes().set_max_bytes(1);
    store.dram->holds_writes = true;
    QVERIFY(store.commit(0, in_dram));
    store.compute(1, false);
    bool stops = false;
    store.store->set_stop([&] { return std::exchange(stops, true); });
    QVERIFY(store.commit(1, on_ssd));
    QVERIFY(!store.state(0).placement.stored() && store.state(1).placement == on_ssd);
    QCOMPARE(store.failed().size(), std::size_t{1});
    QVERIFY(store.failed()[0].context_id == store.state(0).id && store.failed()[0].reason != superseded_reason);
    QCOMPARE(store.store->take_failed_writes().size(), std::size_t{1});
  }

  // A read that takes as long as its tier wants ends with a stop; what was read is as good as before.
  void aStopEndsTheReadOfAnEntryOrAnOriginal_data() {
    QTest::addColumn<bool>("moves");
    QTest::newRow("the entry, to move it") << true;
    QTest::newRow("the original, to compress it") << false;
  }
  void aStopEndsTheReadOfAnEntryOrAnOriginal() {
    QFETCH(bool, moves);
    TwoTierStore store;
    store.place(0, on_ssd);
    SwitchableTier& tier = moves ? *store.ssd : *store.archive;
    tier.holds_reads = true;
    int asked = 0;
    store.store->set_stop([&] { return ++asked > 3; });
    const Status stopped = store.commit(0, moves ? in_dram : half_in_dram);
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QVERIFY(store.state(0).placement == on_ssd && store.state(0).archived);
    QVERIFY(store.all<events::ReadFailed>().empty());
    QCOMPARE(store.failed().size(), std::size_t{1});
    QCOMPARE(tier.held_reads(), std::size_t{0});  // no buffer is out
    tier.holds_reads = false;
    store.store->set_stop({});
    QVERIFY(store.commit(0, moves ? in_dram : half_in_dram));
    store.store->finish_writes();
    QVERIFY(store.state(0).placement == (moves ? in_dram : half_in_dram));
  }

  void placementsInFlightAreGivenUpOnDemandAndOriginalsAreNot() {
    TwoTierStore store;
    store.dram->holds_writes = true;
    store.compute(0);
    QVERIFY(store.commit(0, in_dram));
    store.store->finish_writes(true);
    QVERIFY(!store.state(0).placement.stored() && store.failed().size() == 1);
    QVERIFY(store.state(0).archived && store.archive->entries().size() == 1);
    QVERIFY(!store.store->originals().is_writing());
  }
};

KV_TEST_GUILESS_MAIN(CacheStoreCommitTest)

}  // namespace cache_store_commit_test

#include "cache_store_commit_test.moc"
