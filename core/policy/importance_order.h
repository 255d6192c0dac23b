// The order by which IMPRESS evicts. It weighs what only policies know, so it is no order of simulated caches.
#pragma once

#include "core/eviction/eviction_orders.h"

namespace kvantage {

const EvictionOrderInfo& importance_order();

}  // namespace kvantage
