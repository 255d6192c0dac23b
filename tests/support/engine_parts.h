// What a part of the engine works with, without an engine: a model, the contexts of a small workload, one tier and an
// archive in host memory, and a clock that moves by the same step whenever somebody looks at it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "core/runtime/serving_clock.h"
#include "core/store/engine_services.h"
#include "tests/support/small_workload.h"
#include "tests/support/switchable_tier.h"
#include "tests/support/test_model.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/queued_tier.h"

namespace kvantage::test {

/// Threads of tiers may look at it as well: for them it stands still.
class StepClock final : public Clock {
 public:
  explicit StepClock(std::int64_t step_ns) : step_ns_(step_ns) {}
  std::int64_t monotonic_ns() const override {
    return std::this_thread::get_id() == owner_ ? now_ns_ += step_ns_ : now_ns_.load();
  }
  std::int64_t utc_ns() const override { return now_ns_; }

 private:
  const std::thread::id owner_ = std::this_thread::get_id();
  std::int64_t step_ns_;
  mutable std::atomic<std::int64_t> now_ns_ = 0;
};

/// A pool that holds so many bytes.
inline ModelRuntimeOptions with_pool(std::uint64_t bytes) {
  ModelRuntimeOptions options;
  options.pool_bytes = bytes;
  return options;
}

/// The same whose products are batch-invariant.
inline ModelRuntimeOptions with_invariant_products(ModelRuntimeOptions options) {
  options.load.batch_invariant = true;
  return options;
}

/// A tier in host memory, `capacity` in bytes, 0: unlimited.
inline std::unique_ptr<SwitchableTier> tier_in_memory(const std::string& name, std::uint64_t capacity = 0,
                                                      Executor& executor = system_executor()) {
  return std::make_unique<SwitchableTier>(
      QueuedTier::open(std::make_unique<DramStore>(name), capacity, 0, executor).value());
}

/// What parts below the store work with: a model and contexts, and where to say what happened.
struct ModelParts {
  static constexpr std::int64_t step_ns = 1'000'000;

  /// sinks: beside the one that keeps every event.
  explicit ModelParts(const Workload& workload, ModelRuntimeOptions options = {},
                      const std::vector<EventSink*>& sinks = {})
      : events(clock, with_own(sinks)),
        runtime(ModelRuntime::load(model_directory(), options).value()),
        catalog(Catalog::build(workload, *runtime).value()) {}

  StepClock clock{step_ns};
  ServingClock serving_clock{clock};
  /// Keeps every event.
  struct Sink final : EventSink {
    void publish(const Event& event) override { events.push_back(event); }
    template <class T>
    std::size_t count() const {
      std::size_t found = 0;
      for (const Event& event : events) found += std::holds_alternative<T>(event.payload) ? 1 : 0;
      return found;
    }
    template <class T>
    std::vector<T> all() const {
      std::vector<T> found;
      for (const Event& event : events)
        if (const T* payload = std::get_if<T>(&event.payload)) found.push_back(*payload);
      return found;
    }
    std::vector<Event> events;
  } sink;
  EventBus events;
  std::unique_ptr<ModelRuntime> runtime;
  std::unique_ptr<Catalog> catalog;
  BufferPool lender{std::size_t{256} << 20};

 private:
  std::vector<EventSink*> with_own(std::vector<EventSink*> sinks) {
    sinks.insert(sinks.begin(), &sink);
    return sinks;
  }
};

struct EngineParts : ModelParts {
  static constexpr std::uint64_t tier_bytes = std::uint64_t{256} << 20;

  explicit EngineParts(const Workload& workload, ModelRuntimeOptions options = {},
                       const std::vector<EventSink*>& sinks = {})
      : ModelParts(workload, std::move(options), sinks) {
    catalog->snapshot().tiers.push_back({.name = "dram", .budget_bytes = tier_bytes, .model = {}, .throttled = false});
    std::vector<std::unique_ptr<StorageTier>> tiers;
    auto first = tier_in_memory("dram", tier_bytes), originals = tier_in_memory("archive");
    dram = first.get();
    archive = originals.get();
    tiers.push_back(std::move(first));
    store =
        std::make_unique<CacheStore>(*runtime, *catalog, lender, events, clock, std::move(tiers), std::move(originals));
  }
  ~EngineParts() {
    for (SwitchableTier* tier : {dram, archive})
      while (tier->held_writes() > 0) tier->fail_held_write();  // the store waits for them
  }
  EngineServices services() {
    return {*runtime, *catalog, *store, lender, events, clock, [this] { return interrupted; }};
  }

  SwitchableTier *dram = nullptr, *archive = nullptr;  // of the store
  std::unique_ptr<CacheStore> store;
  bool interrupted = false;
};

}  // namespace kvantage::test
