// The eviction order of IMPRESS. Its inputs exist only in policies, so simulated caches do not offer it.
#pragma once

#include "core/eviction/eviction_orders.h"

namespace kvantage::inline policy {

const EvictionOrderInfo& importance_order();

}  // namespace kvantage::inline policy
