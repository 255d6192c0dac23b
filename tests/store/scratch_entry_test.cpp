// links: core_store tiers
// An entry beside the run's: it is on the tier while it lives, and budget and occupancy of the run are as without it.
#include "core/store/scratch_entry.h"

#include <QtTest>

#include <optional>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace scratch_entry_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr std::uint64_t page = 4096;
constexpr Digest128 key{7, 9};

SerializedEntry entry_of(std::uint64_t pages) {
  return {.info = {.key = {1, 2}, .bytes = pages * page, .header_bytes = page, .label = "of the run"},
          .header = nullptr,
          .bytes = std::make_shared<std::vector<std::byte>>(pages * page)};
}

Status written(ScratchEntry& scratch) {
  std::optional<Status> status;
  while (!(status = scratch.poll(0.05))) {
  }
  return *status;
}

class ScratchEntryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void itIsOnTheTierWhileItLives() {
    EngineParts parts(small_workload(1, 8, 3));
    TierStack& tiers = parts.store->tiers();
    {
      ScratchEntry scratch(tiers, 0, key, entry_of(3));
      QVERIFY(written(scratch).has_value());
      QVERIFY(parts.dram->contains(key));
      QVERIFY(!parts.dram->contains(Digest128{1, 2}));
      QCOMPARE(parts.dram->entries().size(), std::size_t{1});
      QVERIFY(!EntryLabel::parse(parts.dram->entries().front().label));  // a restart erases it
      QCOMPARE(tiers.scratch_bytes(0), 3 * page);
    }
    QVERIFY(parts.dram->entries().empty());
    QCOMPARE(tiers.scratch_bytes(0), std::uint64_t{0});
  }

  void budgetAndOccupancyAreThoseOfTheRun() {
    EngineParts parts(small_workload(1, 8, 3));
    TierStack& tiers = parts.store->tiers();
    tiers.set_capacity(0, 5 * page);
    QCOMPARE(parts.dram->capacity(), 5 * page);
    std::optional<ScratchEntry> scratch;
    scratch.emplace(tiers, 0, key, entry_of(3));
    QVERIFY(written(*scratch).has_value());
    QCOMPARE(tiers.capacity(0), 5 * page);
    QCOMPARE(parts.dram->capacity(), 8 * page);
    // The run may use its whole budget meanwhile.
    QVERIFY(parts.store->write_and_wait(*parts.dram, entry_of(5)).has_value());
    SerializedEntry more = entry_of(1);
    more.info.key = {3, 4};
    QVERIFY(!parts.store->write_and_wait(*parts.dram, more));
    parts.store->publish_occupancy(0);
    QCOMPARE(parts.sink.all<events::TierOccupancy>().back().used_bytes, 5 * page);
    tiers.set_capacity(0, 6 * page);  // another budget while it lives
    QCOMPARE(parts.dram->capacity(), 9 * page);
    scratch.reset();
    QCOMPARE(parts.dram->capacity(), 6 * page);
    QCOMPARE(tiers.capacity(0), 6 * page);
    parts.store->publish_occupancy(0);
    QCOMPARE(parts.sink.all<events::TierOccupancy>().back().used_bytes, 5 * page);
  }

  void anUnlimitedTierStaysUnlimited() {
    EngineParts parts(small_workload(1, 8, 3));
    TierStack& tiers = parts.store->tiers();
    tiers.set_capacity(0, 0);
    {
      ScratchEntry scratch(tiers, 0, key, entry_of(3));
      QCOMPARE(parts.dram->capacity(), std::uint64_t{0});
    }
    QCOMPARE(parts.dram->capacity(), std::uint64_t{0});
  }

  void aWriteInFlightIsCancelled() {
    EngineParts parts(small_workload(1, 8, 3));
    parts.dram->holds_writes = true;
    {
      ScratchEntry scratch(parts.store->tiers(), 0, key, entry_of(3));
      QCOMPARE(parts.dram->held_writes(), std::size_t{1});
      QVERIFY(!scratch.poll(0));
    }
    QCOMPARE(parts.dram->held_writes(), std::size_t{0});
    QVERIFY(parts.dram->entries().empty());
    QCOMPARE(parts.dram->capacity(), EngineParts::tier_bytes);
  }

  void aRefusedWriteIsSaid() {
    EngineParts parts(small_workload(1, 8, 3));
    parts.dram->refuses_writes = true;
    ScratchEntry scratch(parts.store->tiers(), 0, key, entry_of(3));
    const Status status = written(scratch);
    QVERIFY(!status && status.error().code == ErrorCode::io);
    QVERIFY(!parts.dram->contains(key));
  }
};

KV_TEST_GUILESS_MAIN(ScratchEntryTest)

}  // namespace scratch_entry_test

#include "scratch_entry_test.moc"
