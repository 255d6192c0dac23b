// A whole session on virtual time: the real engine, policies, placement, serial form and store code, over tiers in
// memory that are throttled by real ThrottleLanes, and a model whose steps take what a table says. Everything runs on
// the caller's thread. The same options give the same events, byte for byte.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "tests/support/hashed_model.h"
#include "tests/support/memory_device.h"
#include "tests/support/memory_redis.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/faulty_device.h"
#include "tiers/faulty_tier.h"
#include "tiers/queued_tier.h"
#include "tiers/remote/redis_store.h"
#include "tiers/ssd/ssd_tier.h"
#include "tiers/throttled_tier.h"

namespace kvantage::test {

/// Counts from outside the tier what goes into its store, and what is given back: when nobody holds an entry any more,
/// neither the index nor a read nor who waits to give its room back.
class LedgerStore final : public EntryStore {
 public:
  struct Ledger {
    std::uint64_t in_bytes = 0, freed_bytes = 0;
  };
  LedgerStore(std::unique_ptr<EntryStore> store, std::shared_ptr<Ledger> ledger)
      : store_(std::move(store)), ledger_(std::move(ledger)) {}

  TierDescription describe() const override { return store_->describe(); }
  Expected<RecoveredEntries> recover() override { return store_->recover(); }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override {
    auto entry = store_->put(info, bytes, cancelled);
    if (!entry) return entry;
    ledger_->in_bytes += info.bytes;
    StoredEntry* const counted = entry->get();
    return std::shared_ptr<StoredEntry>(counted, [held = std::move(*entry), ledger = ledger_](StoredEntry*) mutable {
      ledger->freed_bytes += held->info().bytes;
      held.reset();
    });
  }
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override { return store_->read(entry, sink); }
  bool may_lend() const override { return store_->may_lend(); }
  bool lends(const StoredEntry& entry, const ReadExtent& extent) const override { return store_->lends(entry, extent); }
  std::uint64_t quick_read_bytes() const override { return store_->quick_read_bytes(); }
  TransferStatus verify(const StoredEntry& entry) override { return store_->verify(entry); }
  void settle() override { store_->settle(); }
  std::uint64_t reusable_bytes() const override { return store_->reusable_bytes(); }
  bool reachable() const override { return store_->reachable(); }
  void watch(StoreChanges& changes) override { store_->watch(changes); }
  void end_watch() override { store_->end_watch(); }

 private:
  std::unique_ptr<EntryStore> store_;
  std::shared_ptr<Ledger> ledger_;
};

struct VirtualSessionOptions {
  std::filesystem::path model;
  std::filesystem::path locks;  // a folder in which tiers "in a folder" take their locks; their bytes stay in memory
  Workload workload;
  SessionSettings settings;  // stores of tiers in files are on a device in memory, of remote ones on a server in memory
  ModelCosts costs = {};
  bool hashed = true;       // false: the model in its folder computes, in no time but that of its looks at the clock
  double look_seconds = 0;  // what a look at the clock takes
  std::uint64_t seed = 0;
  std::uint64_t warmup = 0;
  bool frozen = false;
  bool leave_out_idle = false;
  double archive_bytes_per_second = 2e9;
  std::uint64_t pool_bytes = std::uint64_t{64} << 20;
  /// What computes in place of the hashed model, around it; empty: the hashed model itself.
  std::function<std::shared_ptr<ModelDevice>(std::shared_ptr<ModelDevice>)> around_model = {};
  /// Takes each event in place of the log and the list of events, which grow with the requests.
  std::function<void(const Event&)> watcher = {};
};

class VirtualSession {
 public:
  explicit VirtualSession(VirtualSessionOptions options) : options_(std::move(options)) {
    sink_.watcher = options_.watcher;
    executor_.set_look_seconds(options_.look_seconds);
    EngineConfig config;
    config.executor = &executor_;
    config.model = options_.model;
    config.workload = options_.workload;
    config.settings = options_.settings;
    config.seed = options_.seed;
    config.warmup = options_.warmup;
    config.frozen = options_.frozen;
    config.leave_out_idle = options_.leave_out_idle;
    config.max_answer_tokens = 12;
    config.threads = 1;
    config.runtime.pool_bytes = options_.pool_bytes;
    config.runtime.name = "hashed";
    config.runtime.load.batch_invariant = options_.settings.products == batch_invariant_products;
    if (options_.hashed)
      config.runtime.open_device = [this](const Transformer& model) -> Expected<std::shared_ptr<ModelDevice>> {
        const std::shared_ptr<ModelDevice> hashed = std::make_shared<HashedModel>(
            model, [this](double seconds) { executor_.pass(seconds); }, options_.costs);
        return options_.around_model ? options_.around_model(hashed) : hashed;
      };
    config.open_tiers = [this](const Digest128&, const SessionSettings&, const auto&) {
      auto opened = open_tiers();
      if (!opened) tiers_.clear();
      return opened;
    };
    engine_ = std::make_unique<Engine>(std::move(config), nullptr, nullptr, std::vector<EventSink*>{&sink_});
    wait();
  }

  Engine& engine() { return *engine_; }
  VirtualExecutor& executor() { return executor_; }
  /// Until the engine is neither loading nor running, or so many seconds of virtual time have passed.
  RunState wait(double seconds = 1e6) { return engine_->wait_while_busy(seconds); }
  /// Ends the engine: its background writes have arrived afterwards, and the tiers are there no more.
  void close() { engine_.reset(); }

  /// Every event as a line of JSON.
  const std::string& log() const { return sink_.log; }
  const std::vector<Event>& events() const { return sink_.events; }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const Event& event : sink_.events)
      if (const T* payload = std::get_if<T>(&event.payload)) found.push_back(*payload);
    return found;
  }
  /// What was wrong at the moment of an event: a tier above its budget that had not been when the budget fell, or that
  /// took more since.
  const std::vector<std::string>& broken() const { return sink_.broken; }
  /// Events at which a tier was above a budget that had fallen.
  std::size_t above_budget() const { return sink_.above_budget; }

  struct Opened {
    std::string name;
    StorageTier* tier = nullptr;
    std::shared_ptr<LedgerStore::Ledger> ledger;
  };
  /// Of memory that transfers have now; while the engine lives.
  std::uint64_t leased_bytes() const { return lender_->leased_bytes(); }
  /// In the order of the settings; while the engine lives.
  const std::vector<Opened>& tiers() const { return tiers_; }

 private:
  struct Sink final : EventSink {
    explicit Sink(const std::vector<Opened>& opened) : tiers(opened) {}
    void publish(const Event& event) override {
      if (watcher) {
        watcher(event);
      } else {
        log += to_json(event).dump() + "\n";
        events.push_back(event);
      }
      seen.resize(tiers.size());
      for (std::size_t t = 0; t < tiers.size(); ++t) check(tiers[t], seen[t], event.sequence);
    }
    struct Held {
      std::uint64_t capacity = 0, used = 0;
    };
    // A change of settings publishes an event before it sets budgets, so at most one budget fell since `before`.
    void check(const Opened& opened, Held& before, std::uint64_t sequence) {
      const Held now{opened.tier->capacity(), opened.tier->used_bytes()};
      const std::uint64_t until_now = before.capacity != now.capacity ? before.capacity : 0;
      if (now.capacity != 0 && now.used > now.capacity) {
        ++above_budget;
        if (now.used > std::max(before.used, until_now))
          broken.push_back(opened.name + " holds " + std::to_string(now.used) + " of " + std::to_string(now.capacity) +
                           " bytes at event " + std::to_string(sequence) + ", " + std::to_string(before.used) + " of " +
                           std::to_string(before.capacity) + " before it");
      }
      before = now;
    }
    const std::vector<Opened>& tiers;
    std::function<void(const Event&)> watcher;
    std::string log;
    std::vector<Event> events;
    std::vector<std::string> broken;
    std::vector<Held> seen;  // at the event before, by tier
    std::size_t above_budget = 0;
  };

  Expected<std::unique_ptr<StorageTier>> open_tier(const TierConfig& setting, FaultyTier** faulty) {
    const std::shared_ptr<LedgerStore::Ledger> ledger = std::make_shared<LedgerStore::Ledger>();
    std::unique_ptr<EntryStore> store;
    std::shared_ptr<FaultyDevice> device;
    if (kind_of(setting).supports_fault_injection() && setting.name != "archive") {
      device = std::make_shared<FaultyDevice>(executor_.clock(), std::make_shared<MemoryDevice>(), 1, FaultPlan{},
                                              PowerCuts::never);
      std::filesystem::create_directories(options_.locks / setting.name);
      KV_ASSIGN(store, SsdStore::open(setting.name, options_.locks / setting.name, device));
    } else if (kind_of(setting).medium == TierMedium::server) {
      RedisStoreOptions remote{.transport = server_.transport()};
      KV_ASSIGN(remote.url, parse_redis_url(setting.option("url")));
      store = std::make_unique<RedisStore>(setting.name, std::move(remote));
    } else {
      store = std::make_unique<DramStore>(setting.name);
    }
    KV_ASSIGN(auto tier, QueuedTier::open(std::make_unique<LedgerStore>(std::move(store), ledger),
                                          setting.budget.capacity_bytes(), 0, executor_));
    if (device != nullptr) {
      auto failing = std::make_unique<FaultyTier>(std::move(tier), std::move(device));
      *faulty = failing.get();
      tier = std::move(failing);
    }
    if (setting.name != "archive") tiers_.push_back({setting.name, tier.get(), ledger});
    return tier;
  }

  Expected<OpenedTiers> open_tiers() {
    OpenedTiers opened;
    auto throttled = std::make_shared<std::vector<ThrottledTier*>>();
    auto faulty = std::make_shared<std::vector<FaultyTier*>>();
    for (const TierConfig& setting : options_.settings.tiers) {
      faulty->push_back(nullptr);
      KV_ASSIGN(auto tier, open_tier(setting, &faulty->back()));
      auto decorated = std::make_unique<ThrottledTier>(
          std::move(tier), TierLimits{setting.throttle.bytes_per_second, setting.throttle.latency_seconds});
      throttled->push_back(decorated.get());
      opened.tiers.push_back(std::move(decorated));
    }
    FaultyTier* none = nullptr;
    KV_ASSIGN(auto archive, open_tier({.name = "archive"}, &none));
    opened.archive =
        std::make_unique<ThrottledTier>(std::move(archive), TierLimits{options_.archive_bytes_per_second, 1e-3});
    opened.lender = std::make_unique<BufferPool>(std::size_t{64} << 20);
    lender_ = opened.lender.get();
    opened.rethrottle = [throttled](std::size_t index, const TierConfig& setting) -> Status {
      return throttled->at(index)->set_limits({setting.throttle.bytes_per_second, setting.throttle.latency_seconds});
    };
    opened.inject = [faulty](std::size_t index, const std::string& text) -> Status {
      KV_ASSIGN(const auto faults, parse_faults(text));
      if (FaultyTier* failing = faulty->at(index)) failing->inject(faults);
      return {};
    };
    return opened;
  }

  VirtualSessionOptions options_;
  VirtualExecutor executor_;
  MemoryRedis server_{executor_};
  std::vector<Opened> tiers_;
  BufferLender* lender_ = nullptr;
  Sink sink_{tiers_};
  std::unique_ptr<Engine> engine_;  // goes first
};

}  // namespace kvantage::test
