#include "core/imported/what_if.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/policy/policy.h"
#include "core/simulator/planned_simulation.h"
#include "core/trace/trace.h"

namespace kvantage::inline imported {
namespace {

Expected<std::unique_ptr<TraceReader>> open_first_requests(const WhatIf& asked) {
  TraceOptions options;
  options.limit = asked.max_requests;
  return open_trace(asked.trace, options);
}

Expected<PlannedSetup> planned_setup(const WhatIf& asked, const TraceScan& scan) {
  const SimulatorPreset& preset = asked.preset;
  if (!preset.prefill)
    return fail(ErrorCode::rejected_input, preset.name + ": has no times; add a table of times, or choose another");
  if (preset.tiers.empty())
    return fail(ErrorCode::rejected_input,
                preset.name + ": has no times of a tier; add a table of times with a column tier");
  double tokens = 0;
  for (const auto& [context, longest] : scan.contexts) tokens += static_cast<double>(longest);
  PlannedSetup setup;
  setup.preset = preset;
  setup.dataset = asked.dataset;
  const std::size_t tiers = std::min(asked.tier_shares.size(), preset.tiers.size());
  setup.tiers.reserve(tiers);
  for (std::size_t t = 0; t < tiers; ++t) {
    const auto budget = static_cast<std::uint64_t>(asked.tier_shares[t] * tokens * preset.bytes_per_token);
    setup.tiers.push_back({preset.tiers[t].name, budget, preset.tiers[t].line});
  }
  return setup;
}

Expected<WhatIfPoint> simulate_point(const WhatIf& asked, PlannedSetup setup, const TraceScan& scan,
                                     std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) {
  WhatIfPoint point{.policy = policy->name(), .alpha = std::nullopt};
  if (policy->uses_alpha()) point.alpha = setup.alpha;
  KV_ASSIGN(auto simulation, PlannedSimulation::make(std::move(setup), scan, std::move(policy)));
  KV_ASSIGN(auto trace, open_first_requests(asked));
  for (;;) {
    if (stop()) return fail(ErrorCode::cancelled, "what-if: canceled");
    KV_ASSIGN(const auto request, trace->next());
    if (!request) break;
    simulation->request(*request);
  }
  const SimulatorTotals totals = simulation->totals();
  point.quality = totals.mean_quality;
  point.ttft_seconds = totals.service.mean;
  if (totals.requests > 0)
    point.hit_share = static_cast<double>(totals.hit_requests) / static_cast<double>(totals.requests);
  return point;
}

}  // namespace

Expected<std::vector<WhatIfPoint>> what_if(const WhatIf& asked, const std::function<bool()>& stop) {
  KV_ASSIGN(auto first, open_first_requests(asked));
  KV_ASSIGN(const auto scan, contexts_of(*first, max_planned_contexts));
  if (scan.requests == 0)
    return fail(ErrorCode::rejected_input, asked.trace.string() + ": has no requests; give another trace");
  KV_ASSIGN(const auto setup, planned_setup(asked, scan));
  std::vector<WhatIfPoint> points;
  for (const std::string& text : asked.policies) {
    KV_ASSIGN(const std::shared_ptr<const Policy> policy, make_policy(text));
    const std::vector<double> alphas = policy->uses_alpha() ? asked.alphas : std::vector<double>{setup.alpha};
    for (const double alpha : alphas) {
      PlannedSetup one = setup;
      one.alpha = alpha;
      KV_ASSIGN(auto point, simulate_point(asked, std::move(one), scan, policy, stop));
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace kvantage::inline imported
