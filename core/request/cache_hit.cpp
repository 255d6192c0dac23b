#include "core/request/cache_hit.h"

namespace kvantage::inline requests {

std::unique_ptr<LoadTask> CacheHit::load(BufferLender& lender) const {
  if (place.bytes_in_flight != nullptr) return std::make_unique<LoadTask>(place.bytes_in_flight, header, false);
  auto task = std::make_unique<LoadTask>(*place.tier, info, header, lender, false);
  task->on_loss(on_loss);
  return task;
}

}  // namespace kvantage::inline requests
