// Persists request frequencies, like the stored caches that depend on them. Without them, a policy would let the first
// newcomer displace the most requested contexts.
#pragma once

#include <string>

#include "core/ports/stores.h"
#include "core/store/engine_services.h"

namespace kvantage::inline engine {

class ContextPopularity {
 public:
  /// profiles: the store of frequencies; null: none. workload: its digest.
  ContextPopularity(const EngineServices& services, ProfileStore* profiles, const Digest128& workload)
      : services_(services),
        profiles_(profiles),
        key_("frequencies/" + services.runtime.digest().hex() + "/" + workload.hex()) {}

  /// An empty store starts from zero.
  Status load();
  Status save() const;
  /// Resets all frequencies to zero.
  void forget();

 private:
  EngineServices services_;
  ProfileStore* profiles_;
  std::string key_;
};

}  // namespace kvantage::inline engine
