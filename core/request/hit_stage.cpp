#include "core/request/hit_stage.h"

#include "core/request/hybrid_prefill_stage.h"
#include "core/request/important_reads_stage.h"
#include "core/request/load_stage.h"
#include "core/request/resident_hit_stage.h"

namespace kvantage::inline requests {

std::unique_ptr<HitStage> begin_hit_stage(RequestState& state, CacheHit hit, BufferLender& lender,
                                          std::unique_ptr<LoadTask> begun_load) {
  if (auto resident = ResidentHitStage::begin(state, hit)) return resident;
  if (begun_load == nullptr) {
    if (auto by_need = ImportantReadsStage::begin(state, hit, lender)) return by_need;
    if (auto hybrid = HybridPrefillStage::begin(state, hit, lender)) return hybrid;
    begun_load = hit.load(lender);
  }
  return std::make_unique<LoadStage>(state, std::move(hit), std::move(begun_load));
}

}  // namespace kvantage::inline requests
