// What-if planning on imported curves: policies over a trace, side by side. All of it is simulated; who shows it names
// the preset's source, which names the imported files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/simulator/presets.h"

namespace kvantage::inline imported {

struct WhatIf {
  SimulatorPreset preset;           // with what is imported in it (use_imported.h)
  std::string dataset;              // of its quality; empty: the first
  std::vector<double> tier_shares;  // budgets of its tiers, fastest first, of all contexts uncompressed
  std::vector<std::string> policies = {"full_prefill", "lru", "evicpress"};
  std::vector<double> alphas = {0, 0.3, 1, 3, 10, 30};  // of policies that weigh quality, seconds per unit
  std::filesystem::path trace;
  std::uint64_t max_requests = 2000;  // of the trace, the first ones
};

/// Means over the requests. TTFT is without queueing: the rate of a trace says nothing about another machine.
struct WhatIfPoint {
  std::string policy;
  std::optional<double> alpha;  // nothing: it has no effect
  double quality = 0, ttft_seconds = 0;
  double hit_share = 0;  // of requests, with any reuse
  bool operator==(const WhatIfPoint&) const = default;
};

/// Policies in their order, alphas ascending as given. rejected_input: a preset without times or tiers, a trace that
/// cannot be read; usage: a policy that is not known or whose forms have no quality; cancelled: `stop` said so, which
/// is asked before each request.
Expected<std::vector<WhatIfPoint>> what_if(const WhatIf& asked, const std::function<bool()>& stop);

}  // namespace kvantage::inline imported
