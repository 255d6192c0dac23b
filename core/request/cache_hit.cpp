#include "core/request/cache_hit.h"

namespace kvantage::inline requests {

std::unique_ptr<LoadTask> CacheHit::load(BufferLender& lender) const {
  if (bytes_in_flight != nullptr) return std::make_unique<LoadTask>(bytes_in_flight, header, false);
  return std::make_unique<LoadTask>(*tier, info, header, lender, false);
}

}  // namespace kvantage::inline requests
