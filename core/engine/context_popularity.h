// How often contexts were asked for outlives a restart, as what was stored because of it does: a policy that knew
// nothing of it would let the first newcomer push out what is asked for most.
#pragma once

#include <string>

#include "core/ports/stores.h"
#include "core/store/engine_services.h"

namespace kvantage::inline engine {

class ContextPopularity {
 public:
  /// profiles: where frequencies are kept; null: nowhere. workload: its digest.
  ContextPopularity(const EngineServices& services, ProfileStore* profiles, const Digest128& workload)
      : services_(services),
        profiles_(profiles),
        key_("frequencies/" + services.runtime.digest().hex() + "/" + workload.hex()) {}

  /// An empty store starts from zero.
  Status load();
  Status save() const;
  /// Nothing was asked for yet.
  void forget();

 private:
  EngineServices services_;
  ProfileStore* profiles_;
  std::string key_;
};

}  // namespace kvantage::inline engine
