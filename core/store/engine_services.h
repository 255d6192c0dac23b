// Services shared by all parts of the engine: model, contexts, store, events, clock.
#pragma once

#include <functional>

#include "core/base/clock.h"
#include "core/ports/storage_tier.h"
#include "core/runtime/catalog.h"
#include "core/runtime/event_bus.h"
#include "core/runtime/model_runtime.h"
#include "core/store/cache_store.h"

namespace kvantage::inline store {

/// The references must outlive the parts. Engine thread only.
struct EngineServices {
  ModelRuntime& runtime;
  Catalog& catalog;
  CacheStore& store;
  BufferLender& lender;
  EventBus& events;
  const Clock& clock;
  /// True when a command waits: long work stops within a layer.
  std::function<bool()> interrupted;
};

}  // namespace kvantage::inline store
