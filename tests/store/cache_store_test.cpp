// links: core_store tiers
// The only writer of the tiers: what it finds, drops, takes over at a start and empties. Actions are in
// cache_store_commit_test.cpp.
#include "core/store/cache_store.h"

#include <QtTest>

#include "tests/store/two_tier_store.h"
#include "tests/support/test_program.h"

namespace cache_store_test {

using namespace kvantage;
using namespace kvantage::test;

class CacheStoreTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aRestartTakesOverWhatTheTiersHold() {
    TwoTierStore store;
    const SerializedEntry first = entry_of(store.parts, 0, in_dram), second = entry_of(store.parts, 1, half_in_dram);
    store.dram->write_by_others({first.info, first.bytes});
    store.ssd->write_by_others({second.info, second.bytes});
    store.archive->write_by_others({second.info, second.bytes});  // no original, and not the store's to erase
    store.archive->write_by_others({first.info, first.bytes});
    store.store->recover();
    QVERIFY(store.state(0).placement == in_dram);
    QVERIFY((store.state(1).placement == Configuration{1, "knorm", 0.5}));
    QVERIFY(store.state(0).archived && !store.state(1).archived);
    QCOMPARE(store.archive->entries().size(), std::size_t{2});
    QVERIFY(store.occupied("dram") == first.info.bytes && store.occupied("ssd") == second.info.bytes);
    QVERIFY(store.find(0)->header == nullptr);  // still to be read
    QVERIFY(store.read(store.find(0).value()) == test::digest_of(prefilled(store.parts, 0).cache));
  }

  void aSyncSaysWhatChanged() {
    TwoTierStore store;
    store.store->recover();
    store.parts.sink.events.clear();
    QVERIFY(!store.store->sync(1));
    QVERIFY(store.parts.sink.events.empty());
    const SerializedEntry entry = entry_of(store.parts, 0, in_dram);
    store.ssd->write_by_others({entry.info, entry.bytes});
    QVERIFY(store.store->sync(1));
    QCOMPARE(store.occupied("ssd"), entry.info.bytes);
    QCOMPARE(store.all<events::TierOccupancy>().size(), std::size_t{1});
  }

  void aColdStartEmptiesTheTiersAndKeepsTheArchive() {
    TwoTierStore store;
    store.place(0, in_dram);
    store.place(1, on_ssd);
    store.compute(2);
    QVERIFY(store.commit(2, on_ssd));  // in flight
    store.store->clear();
    for (const std::size_t context : {0, 1, 2})
      QVERIFY(!store.state(context).placement.stored() && store.state(context).archived && !store.find(context));
    QVERIFY(store.dram->entries().empty() && store.ssd->entries().empty());
    QCOMPARE(store.archive->entries().size(), std::size_t{3});
    QVERIFY(store.store->originals().cached(2) == nullptr);
    QVERIFY(store.occupied("dram") == 0 && store.occupied("ssd") == 0);
  }

  void theLongestStoredPrefixServes() {
    TwoTierStore store(growing_session(8, 3));
    const std::size_t shorter = *store.parts.catalog->index_of_id("c0");
    const std::size_t longer = *store.parts.catalog->index_of_id("longer");
    store.place(shorter, on_ssd);
    const CacheHit prefix = store.find(longer).value();
    QCOMPARE(prefix.context, shorter);
    QCOMPARE(prefix.prefix_tokens, store.parts.catalog->details(shorter).tokens.size());
    store.place(longer, half_in_dram);
    const CacheHit whole = store.find(longer).value();
    QCOMPARE(whole.context, longer);
    QVERIFY(whole.method == "knorm" && whole.place.tier_name == "dram");
    QCOMPARE(store.find(shorter)->context, shorter);
    must(store.commit(longer, {}));
    QCOMPARE(store.find(longer)->context, shorter);
    const auto& tokens = store.parts.catalog->details(shorter).tokens;
    QVERIFY(!store.store->find(std::span(tokens).first(tokens.size() - 1)));
  }

  void whatCannotBeReadIsDropped() {
    const Error error{ErrorCode::io, "the disk is worn out"};
    TwoTierStore store;
    store.place(0, on_ssd);
    store.store->drop(1, {error, {}});  // not stored
    QVERIFY(store.parts.sink.events.empty());
    store.store->drop(0, {error, {}});
    QVERIFY(!store.state(0).placement.stored() && !store.find(0) && store.ssd->entries().empty());
    const auto reads = store.all<events::ReadFailed>();
    QCOMPARE(reads.size(), std::size_t{1});
    QVERIFY(reads[0].context == store.state(0).key && reads[0].tier == "ssd" && reads[0].dropped);
    QCOMPARE(reads[0].reason, std::string("io: the disk is worn out"));
    QCOMPARE(store.occupied("ssd"), std::uint64_t{0});
    QCOMPARE(store.all<events::TierOccupancy>().size(), std::size_t{1});
  }

  // A request that ends while its read fails does not look at the read any more.
  void anEntryLostWhileItsReadEndsIsDropped() {
    TwoTierStore store;
    store.place(0, on_ssd);
    const CacheHit hit = store.find(0).value();
    const ReadFailure lost{{ErrorCode::io, "the disk is worn out"}, "device"};
    hit.on_loss(lost);
    QVERIFY(!store.state(0).placement.stored() && !store.find(0));
    QCOMPARE(store.all<events::ReadFailed>().size(), std::size_t{1});
    hit.on_loss(lost);  // is not stored any more
    QCOMPARE(store.all<events::ReadFailed>().size(), std::size_t{1});
    store.place(0, in_dram);
    hit.on_loss(lost);  // another entry of the context
    QVERIFY(store.state(0).placement.stored() && store.all<events::ReadFailed>().empty());
  }

  // The entry stays where its tier is out of reach, and is found there later.
  void whatIsOutOfReachIsFoundAgain() {
    for (const bool away : {false, true}) {
      TwoTierStore store;
      store.place(0, on_ssd);
      store.ssd->away = away;
      store.store->drop(0, {{ErrorCode::io, "no response"}, away ? "device" : unavailable_reason});
      QVERIFY(!store.find(0) && store.ssd->entries().size() == 1);
      QVERIFY(store.all<events::ReadFailed>()[0].dropped);
      QCOMPARE(store.store->sync(1), !away);
      store.ssd->away = false;
      QCOMPARE(store.store->sync(1), away);
      QVERIFY(store.find(0).has_value());
    }
  }

  void whereOnlyMemoryIsShortNothingIsDropped() {
    TwoTierStore store;
    store.place(0, on_ssd);
    store.store->drop(0, {{ErrorCode::no_space, "no buffer"}, no_buffer_reason});
    QVERIFY(store.find(0) && store.state(0).placement == on_ssd && store.ssd->entries().size() == 1);
    QVERIFY(store.all<events::ReadFailed>().size() == 1 && !store.all<events::ReadFailed>()[0].dropped);
    QVERIFY(store.all<events::TierOccupancy>().empty());
  }

  // As timing does: an entry of no context.
  void aWriteThatIsWaitedForPlacesNothing() {
    TwoTierStore store;
    const SerializedEntry entry = entry_of(store.parts, 0, in_dram);
    QVERIFY(store.store->write_and_wait(*store.dram, entry));
    QVERIFY(store.dram->contains(entry.info.key) && !store.find(0) && store.parts.sink.events.empty());
    store.ssd->refuses_writes = true;
    const Status refused = store.store->write_and_wait(*store.ssd, entry);
    QVERIFY(!refused && refused.error().code == ErrorCode::io);
    store.ssd->refuses_writes = false;
    store.ssd->holds_writes = true;
    store.store->set_stop([] { return true; });
    const Status stopped = store.store->write_and_wait(*store.ssd, entry);
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
    QVERIFY(store.ssd->entries().empty() && store.ssd->held_writes() == 0);
  }
};

KV_TEST_GUILESS_MAIN(CacheStoreTest)

}  // namespace cache_store_test

#include "cache_store_test.moc"
