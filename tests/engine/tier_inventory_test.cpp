// links: kv_experiments kv_tiers
// The part of the store that keeps the catalog true to what tiers hold, without a store: entries are put into a tier
// as an earlier session or another workbench does.
#include "core/store/tier_inventory.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace tier_inventory_test {

using namespace kvantage;
using namespace kvantage::test;

struct Inventory {
  Inventory() {
    std::vector<std::unique_ptr<StorageTier>> all;
    all.push_back(std::make_unique<SwitchableTier>(
        QueuedTier::open(std::make_unique<DramStore>("dram"), 0, 0, system_executor()).value()));
    tier = static_cast<SwitchableTier*>(all[0].get());
    tiers.emplace(std::move(all));
    inventory.emplace(*parts.catalog, *tiers, writes);
  }
  SerializedEntry entry_of(std::size_t context) {
    KvCache cache(*parts.runtime->pool);
    PrefillTask prefill(*parts.runtime->model, cache, parts.catalog->details(context).tokens, 0,
                        {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::none});
    must(prefill.run());
    return EntryMaker(*parts.runtime, *parts.catalog).serialize(context, cache, nullptr, {.tier = 0}).value();
  }
  void put(const SerializedEntry& entry) { tier->write_by_others({entry.info, entry.bytes}); }
  const ContextState& state(std::size_t context) { return parts.catalog->state(context); }

  EngineParts parts{small_workload(2, 8, 3)};
  SwitchableTier* tier = nullptr;
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
    const SerializedEntry known = inventory.entry_of(0);
    SerializedEntry unknown = inventory.entry_of(1);
    unknown.info.label = "by something else";
    inventory.put(known);
    inventory.put(unknown);
    inventory.inventory->recover(0);
    QVERIFY(inventory.state(0).placement.stored() && inventory.state(0).placement.tier == 0);
    QCOMPARE(inventory.state(0).stored_bytes, known.info.bytes);
    QCOMPARE(inventory.state(0).frequency, 1.0);
    QVERIFY(!inventory.state(1).placement.stored());
    QVERIFY(inventory.tier->contains(known.info.key) && !inventory.tier->contains(unknown.info.key));
  }

  void whatOthersPutIsPlacedOnce() {
    Inventory inventory;
    inventory.inventory->recover(0);
    QVERIFY(!inventory.inventory->sync(0));
    inventory.put(inventory.entry_of(1));
    QVERIFY(inventory.inventory->sync(0));
    QVERIFY(inventory.state(1).placement.stored());
    QVERIFY(!inventory.inventory->sync(0));
  }

  void whatGoesBeyondTheBudgetIsLeftToOthers() {
    Inventory inventory;
    inventory.inventory->recover(0);
    const SerializedEntry entry = inventory.entry_of(0);
    inventory.put(entry);
    inventory.tier->set_capacity(entry.info.bytes - 1);
    QVERIFY(inventory.inventory->sync(0));
    QVERIFY(!inventory.state(0).placement.stored());
  }

  // What is in flight from here is newer than what others wrote.
  void anEntryInFlightKeepsItsLength() {
    Inventory inventory;
    const SerializedEntry entry = inventory.entry_of(0);
    inventory.put(entry);
    inventory.inventory->recover(0);
    inventory.parts.catalog->state(0).stored_bytes = 17;
    inventory.writes.add(1, {.context = 0, .action = {}, .entry = entry});
    inventory.put(entry);
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.state(0).stored_bytes, std::uint64_t{17});
    (void)inventory.writes.take(1);
    inventory.put(entry);
    QVERIFY(inventory.inventory->sync(0));
    QCOMPARE(inventory.state(0).stored_bytes, entry.info.bytes);
  }
};

KV_TEST_GUILESS_MAIN(TierInventoryTest)

}  // namespace tier_inventory_test

#include "tier_inventory_test.moc"
