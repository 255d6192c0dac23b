// links: core_store tiers
// The part of the store that keeps the catalog true to what tiers hold, without a store: entries are put into a tier
// as an earlier session or another workbench does. Only their labels and lengths matter here.
#include "core/store/tier_inventory.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace tier_inventory_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr std::uint64_t page = 4096;

struct Inventory {
  Inventory() {
    std::vector<std::unique_ptr<StorageTier>> all;
    for (const char* name : {"dram", "ssd"}) all.push_back(tier_in_memory(name));
    fast = static_cast<SwitchableTier*>(all[0].get());
    slow = static_cast<SwitchableTier*>(all[1].get());
    tiers.emplace(std::move(all));
    inventory.emplace(*parts.catalog, *tiers, writes);
  }
  SerializedEntry entry_of(std::size_t context, std::uint64_t pages = 2, const std::string& method = "none",
                           double removed_fraction = 0) {
    const Digest128 key = parts.catalog->state(context).key;
    return {.info = {.key = entry_key({key}, method, removed_fraction),
                     .bytes = pages * page,
                     .header_bytes = page,
                     .label = EntryLabel{key, method, removed_fraction}.text()},
            .header = nullptr,
            .bytes = std::make_shared<std::vector<std::byte>>(pages * page)};
  }
  static void put(SwitchableTier* tier, const SerializedEntry& entry) {
    tier->write_by_others({entry.info, entry.bytes});
  }
  const ContextState& state(std::size_t context) { return parts.catalog->state(context); }
  ContextDetails& details(std::size_t context) { return parts.catalog->details(context); }
  std::size_t stored() {
    std::size_t count = 0;
    for (std::size_t c = 0; c < parts.catalog->size(); ++c) count += state(c).placement.stored() ? 1 : 0;
    return count;
  }
  /// As after an entry was read.
  void know_header(std::size_t context) {
    details(context).header = std::make_shared<EntryHeader>();
    details(context).kept_map = std::make_shared<std::vector<std::byte>>();
  }

  ModelParts parts{small_workload(3, 8, 3)};
  SwitchableTier *fast = nullptr, *slow = nullptr;
  std::optional<TierStack> tiers;
  PlacementWrites writes;
  std::optional<TierInventory> inventory;
};

class TierInventoryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aStartPlacesWhatItKnowsAndErasesTheRest() {
    Inventory inventory;
    SerializedEntry known = inventory.entry_of(0, 3, "knorm", 0.5);
    SerializedEntry unlabeled = inventory.entry_of(1), foreign = inventory.entry_of(2);
    unlabeled.info.label = "by something else";
    foreign.info.label = EntryLabel{{.high = 1, .low = 2}, "none", 0}.text();
    for (SerializedEntry* entry : {&known, &unlabeled, &foreign}) inventory.put(inventory.slow, *entry);
    inventory.know_header(0);
    inventory.inventory->recover(1);
    QVERIFY((inventory.state(0).placement == Configuration{1, "knorm", 0.5}));
    QCOMPARE(inventory.state(0).stored_bytes, known.info.bytes);
    QVERIFY(inventory.details(0).entry.key == known.info.key);
    QVERIFY(inventory.details(0).header == nullptr && inventory.details(0).kept_map == nullptr);
    QCOMPARE(inventory.stored(), std::size_t{1});
    QCOMPARE(inventory.slow->entries().size(), std::size_t{1});
    QVERIFY(inventory.slow->contains(known.info.key));
    QVERIFY(!inventory.inventory->sync(1));  // all of it was seen
  }

  // Without a count of its own the next plan would drop what an earlier session stored.
  void whatIsFoundCountsAsRequestedOnce() {
    Inventory inventory;
    inventory.parts.catalog->state(1).frequency = 5;
    for (const std::size_t context : {0, 1}) inventory.put(inventory.fast, inventory.entry_of(context));
    inventory.inventory->recover(0);
    QCOMPARE(inventory.state(0).frequency, 1.0);
    QCOMPARE(inventory.state(1).frequency, 5.0);
    QCOMPARE(inventory.state(2).frequency, 0.0);
  }

  void aContextIsPlacedOnceInTheFasterTier() {
    Inventory inventory;
    const SerializedEntry entry = inventory.entry_of(0), half = inventory.entry_of(0, 1, "knorm", 0.5);
    inventory.put(inventory.fast, entry);
    inventory.put(inventory.slow, half);
    for (const std::size_t tier : {0, 1}) inventory.inventory->recover(tier);
    QVERIFY((inventory.state(0).placement == Configuration{.tier = 0}));
    QVERIFY(inventory.fast->contains(entry.info.key));
    QVERIFY(inventory.slow->entries().empty());
    inventory.put(inventory.slow, half);  // others store it there again
    QVERIFY(inventory.inventory->sync(1));
    QVERIFY((inventory.state(0).placement == Configuration{.tier = 0}));
    QCOMPARE(inventory.state(0).stored_bytes, entry.info.bytes);
    QVERIFY(inventory.slow->entries().empty());
  }

  void whatOthersPutIsPlacedOnce() {
    Inventory inventory;
    inventory.inventory->recover(0);
    QVERIFY(!inventory.inventory->sync(0));
    inventory.put(inventory.fast, inventory.entry_of(1));
    QVERIFY(!inventory.state(1).placement.stored());
    QVERIFY(inventory.inventory->sync(0));
    QVERIFY(inventory.state(1).placement.stored());
    QVERIFY(!inventory.inventory->sync(0));
  }

  void aTierThatDoesNotRespondIsSyncedOnceItDoes() {
    Inventory inventory;
    inventory.inventory->recover(1);
    inventory.put(inventory.slow, inventory.entry_of(0));
    inventory.slow->away = true;
    QVERIFY(!inventory.inventory->sync(1));
    QCOMPARE(inventory.stored(), std::size_t{0});
    inventory.slow->away = false;
    QVERIFY(inventory.inventory->sync(1));
    QCOMPARE(inventory.stored(), std::size_t{1});
  }

  // What is placed here counts; among what others put, the first that fit are placed.
  void noMoreIsPlacedThanTheBudgetAllows() {
    Inventory inventory;
    const SerializedEntry own = inventory.entry_of(0);
    inventory.put(inventory.fast, own);
    inventory.inventory->recover(0);
    for (const std::size_t context : {1, 2}) inventory.put(inventory.fast, inventory.entry_of(context));
    inventory.fast->set_capacity(4 * page);  // of two
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.stored(), std::size_t{2});
    QVERIFY(inventory.state(0).placement.stored());
    QCOMPARE(inventory.fast->used_bytes(), 4 * page);
  }

  void oneByteBeyondTheBudgetIsBeyondIt() {
    for (const bool fits : {true, false}) {
      Inventory inventory;
      inventory.inventory->recover(0);
      inventory.put(inventory.fast, inventory.entry_of(0));
      inventory.fast->set_capacity(2 * page - (fits ? 0 : 1));
      QVERIFY(inventory.inventory->sync(0));
      QCOMPARE(inventory.state(0).placement.stored(), fits);
    }
  }

  void withoutABudgetAllOfItIsPlaced() {
    Inventory inventory;
    inventory.inventory->recover(0);
    for (const std::size_t context : {0, 1, 2}) inventory.put(inventory.fast, inventory.entry_of(context, 1000));
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.stored(), std::size_t{3});
  }

  // Another version under the same key, of another length: what was known of its header is of the old one.
  void anotherVersionIsSeenAsItIs() {
    Inventory inventory;
    for (const std::size_t context : {0, 1}) inventory.put(inventory.fast, inventory.entry_of(context));
    inventory.inventory->recover(0);
    for (const std::size_t context : {0, 1}) inventory.know_header(context);
    const SerializedEntry longer = inventory.entry_of(0, 5);
    inventory.put(inventory.fast, longer);
    inventory.fast->set_capacity(9 * page);
    inventory.put(inventory.fast, inventory.entry_of(2));  // 5 + 2 + 2
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.state(0).stored_bytes, 5 * page);
    QCOMPARE(inventory.details(0).entry.bytes, 5 * page);
    for (const std::size_t context : {0, 1}) {
      QVERIFY(inventory.details(context).header == nullptr && inventory.details(context).kept_map == nullptr);
      QVERIFY(inventory.state(context).placement.stored());
    }
    QVERIFY(inventory.state(2).placement.stored());
  }

  // What is in flight from here is newer than what others wrote.
  void anEntryInFlightKeepsItsLength() {
    Inventory inventory;
    const SerializedEntry entry = inventory.entry_of(0);
    inventory.put(inventory.fast, entry);
    inventory.inventory->recover(0);
    inventory.parts.catalog->state(0).stored_bytes = 17;
    inventory.writes.add(1, {.context = 0, .action = {}, .entry = entry});
    inventory.put(inventory.fast, entry);
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.state(0).stored_bytes, std::uint64_t{17});
    (void)inventory.writes.take(1);
    inventory.put(inventory.fast, entry);
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.state(0).stored_bytes, entry.info.bytes);
  }
};

KV_TEST_GUILESS_MAIN(TierInventoryTest)

}  // namespace tier_inventory_test

#include "tier_inventory_test.moc"
