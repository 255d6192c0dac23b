// What every part of the engine works with: the model, the contexts, the store, and where to say what happened.
#pragma once

#include <functional>

#include "core/base/clock.h"
#include "core/ports/storage_tier.h"
#include "core/runtime/catalog.h"
#include "core/runtime/event_bus.h"
#include "core/runtime/model_runtime.h"
#include "core/store/cache_store.h"

namespace kvantage::inline store {

/// References outlive the parts that hold them. Engine thread only.
struct EngineServices {
  ModelRuntime& runtime;
  Catalog& catalog;
  CacheStore& store;
  BufferLender& lender;
  EventBus& events;
  const Clock& clock;
  /// True when a command waits: long work stops within its next layer.
  std::function<bool()> interrupted;
};

}  // namespace kvantage::inline store
