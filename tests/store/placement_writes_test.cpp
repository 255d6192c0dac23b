// links: core_store
// The part of the store that knows which entries are in flight, without model, store and tiers: a tier here only counts
// what the test says that it holds.
#include "core/store/placement_writes.h"

#include <QtTest>

#include <set>

#include "tests/support/test_program.h"

namespace placement_writes_test {

using namespace kvantage;

class CountedTier final : public StorageTier {
 public:
  std::set<Digest128> keys;
  std::uint64_t used = 0;
  std::vector<Ticket> cancelled;
  std::function<void()> on_contains;  // before it answers

  TierDescription describe() const override { return {"counted", "nowhere", false, ""}; }
  Executor& executor() const override { return system_executor(); }
  Ticket submit_write(EntryInfo, std::shared_ptr<const std::vector<std::byte>>, CompletionQueue&) override { return 0; }
  Ticket submit_read(const Digest128&, std::vector<ReadExtent>, std::vector<std::unique_ptr<LeasedBuffer>>,
                     CompletionQueue&) override {
    return 0;
  }
  void cancel(Ticket ticket) override { cancelled.push_back(ticket); }
  Status erase(const Digest128&) override { return {}; }
  bool contains(const Digest128& key) const override {
    if (on_contains) on_contains();
    return keys.contains(key);
  }
  std::vector<EntryInfo> entries() const override { return {}; }
  std::uint64_t used_bytes() const override { return used; }
  void set_capacity(std::uint64_t) override {}
  std::uint64_t capacity() const override { return 0; }
};

PlacementWrite write_of(std::size_t context, CountedTier& tier, std::uint64_t bytes) {
  PlacementWrite write{.context = context, .action = {}, .tier = &tier, .entry = {}};
  write.action.bytes_after = bytes;
  write.entry.info.key = {.high = 1, .low = context};
  write.entry.info.bytes = bytes;
  return write;
}

class PlacementWritesTest : public QObject {
  Q_OBJECT

 private slots:
  void thereAreNoneAtTheStart() {
    PlacementWrites writes;
    QVERIFY(writes.empty() && writes.has_room());
    QCOMPARE(writes.bytes(), std::uint64_t{0});
    QCOMPARE(writes.max_bytes(), std::uint64_t{256} << 20);
    QVERIFY(writes.of(0) == nullptr);
    QVERIFY(!writes.take(1));
  }

  void oneIsFoundByItsContextAndTakenByItsTicketOnce() {
    CountedTier tier;
    PlacementWrites writes;
    writes.add(7, write_of(3, tier, 100));
    writes.add(5, write_of(4, tier, 20));
    QVERIFY(writes.of(3) != nullptr && writes.of(4) != nullptr && writes.of(7) == nullptr);
    QCOMPARE(writes.of(3)->action.bytes_after, std::uint64_t{100});
    QVERIFY(!writes.take(3));  // a context is no ticket
    const auto taken = writes.take(7);
    QVERIFY(taken.has_value() && taken->context == 3 && !taken->superseded);
    QVERIFY(taken->tier == &tier && taken->entry.info.bytes == 100);
    QVERIFY(!writes.take(7) && writes.of(3) == nullptr);
    QVERIFY(!writes.empty() && writes.of(4) != nullptr);
  }

  // Room is there as long as less than the limit is in memory: one write may exceed it.
  void roomEndsAtTheLimit() {
    CountedTier tier;
    PlacementWrites writes;
    writes.set_max_bytes(100);
    QCOMPARE(writes.max_bytes(), std::uint64_t{100});
    writes.add(1, write_of(0, tier, 99));
    QVERIFY(writes.has_room());
    writes.add(2, write_of(1, tier, 1));
    QCOMPARE(writes.bytes(), std::uint64_t{100});
    QVERIFY(!writes.has_room());
    (void)writes.take(2);
    QVERIFY(writes.has_room());
    writes.add(3, write_of(2, tier, 1000));
    QVERIFY(!writes.has_room());
    QCOMPARE(writes.bytes(), std::uint64_t{1099});
    writes.set_max_bytes(1100);
    QVERIFY(writes.has_room());
  }

  void whatIsPlacedIsWhatATierHoldsAndWhatIsInFlightToIt() {
    CountedTier tier, other;
    tier.used = 1000;
    PlacementWrites writes;
    QCOMPARE(writes.bytes_placed(tier), std::uint64_t{1000});
    writes.add(1, write_of(0, tier, 100));
    writes.add(2, write_of(1, tier, 20));
    writes.add(3, write_of(2, other, 3));
    QCOMPARE(writes.bytes_placed(tier), std::uint64_t{1120});
    QCOMPARE(writes.bytes_placed(other), std::uint64_t{3});
    tier.keys.insert(writes.of(0)->entry.info.key);  // it is visible; its completion has not been taken
    tier.used = 1100;
    QCOMPARE(writes.bytes_placed(tier), std::uint64_t{1120});
  }

  // The tier's own thread may finish a write between two looks at it: it counts once.
  void whatArrivesMeanwhileCountsOnce() {
    for (const bool before_it_is_looked_for : {true, false}) {
      CountedTier tier;
      tier.used = 1000;
      PlacementWrites writes;
      writes.add(1, write_of(0, tier, 100));
      writes.add(2, write_of(1, tier, 20));
      const Digest128 key = writes.of(before_it_is_looked_for ? 0 : 1)->entry.info.key;
      const std::uint64_t bytes = before_it_is_looked_for ? 100 : 20;
      int looks = 0;
      tier.on_contains = [&] {
        if (++looks != 1) return;
        tier.keys.insert(key);
        tier.used += bytes;
      };
      QCOMPARE(writes.bytes_placed(tier), std::uint64_t{1120});
    }
  }

  void aSupersededWriteIsCanceledAndInFlightUntilItHasEnded() {
    CountedTier tier, other;
    PlacementWrites writes;
    writes.add(1, write_of(0, tier, 100));
    writes.add(2, write_of(1, other, 20));
    writes.supersede(5);  // of no write
    QVERIFY(tier.cancelled.empty() && other.cancelled.empty());
    writes.supersede(0);
    QVERIFY((tier.cancelled == std::vector<Ticket>{1}) && other.cancelled.empty());
    QVERIFY(writes.of(0) != nullptr && writes.of(0)->superseded && !writes.of(1)->superseded);
    QCOMPARE(writes.bytes(), std::uint64_t{120});
    QVERIFY(writes.take(1)->superseded);
    QVERIFY(writes.of(0) == nullptr);
  }

  // No decision took their place: whoever wanted them learns that they failed.
  void allAreGivenUpWithoutBeingSuperseded() {
    CountedTier tier, other;
    PlacementWrites writes;
    writes.give_up_all();
    writes.add(1, write_of(0, tier, 100));
    writes.add(2, write_of(1, other, 20));
    writes.add(3, write_of(2, tier, 3));
    writes.give_up_all();
    QVERIFY((tier.cancelled == std::vector<Ticket>{1, 3}));
    QVERIFY((other.cancelled == std::vector<Ticket>{2}));
    for (const Ticket ticket : {1, 2, 3}) QVERIFY(!writes.take(ticket)->superseded);
    QVERIFY(writes.empty());
  }
};

KV_TEST_APPLESS_MAIN(PlacementWritesTest)

}  // namespace placement_writes_test

#include "placement_writes_test.moc"
