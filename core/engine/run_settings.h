#pragma once

#include <cstdint>
#include <vector>

#include "core/ports/session.h"

namespace kvantage::inline engine {

/// The session settings that a run uses.
struct RunSettings {
  const std::vector<TierConfig>& tiers;
  std::uint64_t request_limit = 0;  // 0: the workload's
  double requests_per_second = 0;   // 0: closed loop
  Json recorded;                    // all settings, in file form
};

/// settings: must outlive the result.
inline RunSettings run_settings_of(const SessionSettings& settings) {
  return {settings.tiers, settings.request_limit, settings.requests_per_second, to_json(settings)};
}

}  // namespace kvantage::inline engine
