#include "core/eviction/lru.h"

#include "core/eviction/define_order.h"

namespace kvantage::inline eviction {

KVANTAGE_DEFINE_EVICTION_ORDER(lru, LruOrder)

}  // namespace kvantage::inline eviction
