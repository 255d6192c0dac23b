// A cache store without an engine and without policies: two tiers and an archive in memory, in virtual time. A write is
// in flight until somebody waits, or, where the tier holds it, until the test says what came of it.
#pragma once

#include <QtGlobal>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/cache_store.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/virtual_executor.h"

namespace kvantage::test {

inline const Configuration in_dram{.tier = 0}, on_ssd{.tier = 1};
inline const Configuration half_in_dram{.tier = 0, .method = "knorm", .removed_fraction = 0.5};

struct TwoTierStore {
  explicit TwoTierStore(const Workload& workload = small_workload(3, 8, 3)) : parts(workload, with_pool(16 << 20)) {
    std::vector<std::unique_ptr<StorageTier>> tiers;
    for (const char* name : {"dram", "ssd"}) {
      parts.catalog->snapshot().tiers.push_back(
          {.name = name, .budget_bytes = tier_bytes, .model = {}, .throttled = false});
      tiers.push_back(tier_in_memory(name, tier_bytes, executor));
    }
    auto originals = tier_in_memory("archive", 0, executor);
    dram = static_cast<SwitchableTier*>(tiers[0].get());
    ssd = static_cast<SwitchableTier*>(tiers[1].get());
    archive = originals.get();
    store.emplace(*parts.runtime, *parts.catalog, parts.lender, parts.events, executor.clock(), std::move(tiers),
                  std::move(originals));
  }
  ~TwoTierStore() {
    for (SwitchableTier* tier : {dram, ssd, archive})
      while (tier->held_writes() > 0) tier->fail_held_write();  // the store waits for them
  }
  void compute(std::size_t context, bool archived = true) {
    Prefilled made = prefilled(parts, context);
    store->originals().keep(context, std::move(made.cache), std::move(made.queries), archived);
  }
  PlacementAction action(std::size_t context, const Configuration& to) {
    return {.context = state(context).key, .kind = ActionKind::store, .from = {}, .to = to, .reason = "by a test"};
  }
  Status commit(std::size_t context, const Configuration& to) { return store->commit(action(context, to)); }
  /// Computed, archived, stored; nothing is in flight or in memory afterwards.
  void place(std::size_t context, const Configuration& to) {
    compute(context);
    must(commit(context, to));
    store->finish_writes();
    (void)store->originals().forget();
    parts.sink.events.clear();
  }
  ContextState& state(std::size_t context) { return parts.catalog->state(context); }
  std::optional<CacheHit> find(std::size_t context) { return store->find(parts.catalog->details(context).tokens); }
  /// What a request reads of it.
  Digest128 read(const CacheHit& hit) {
    KvCache cache(*parts.runtime->pool);
    const auto load = hit.load(parts.lender);
    if (const auto loaded = load_whole(*load, cache, false); !loaded)
      qFatal("%s", loaded.error().error.message.c_str());
    return digest_of(cache);
  }
  template <class T>
  std::vector<T> all() const {
    return parts.sink.all<T>();
  }
  std::vector<events::PlacementCommitted> committed() const { return all<events::PlacementCommitted>(); }
  std::vector<events::PlacementFailed> failed() const { return all<events::PlacementFailed>(); }
  /// As shown last.
  std::uint64_t occupied(const std::string& tier) const {
    std::uint64_t bytes = 0;
    for (const auto& occupancy : all<events::TierOccupancy>())
      if (occupancy.tier == tier) bytes = occupancy.used_bytes;
    return bytes;
  }

  static constexpr std::uint64_t tier_bytes = std::uint64_t{64} << 20;
  VirtualExecutor executor;
  ModelParts parts;
  SwitchableTier *dram = nullptr, *ssd = nullptr, *archive = nullptr;
  std::optional<CacheStore> store;
};

}  // namespace kvantage::test
