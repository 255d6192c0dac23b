#include "ui/live/frontier/model/what_if_baselines.h"

#include <algorithm>

#include "ui/text/words.h"

namespace kvantage {

void WhatIfBaselines::reset() { baselines_.clear(); }

void WhatIfBaselines::feed(const Snapshot& live, const std::vector<std::string>& policies,
                           const std::vector<Digest128>& requests, const std::function<bool()>& stop) {
  // One that is left out misses requests: if it returns, it starts from the beginning.
  std::erase_if(baselines_, [&](const auto& baseline) {
    return std::find(policies.begin(), policies.end(), baseline.first) == policies.end();
  });
  if (requests.empty()) return;
  for (const std::string& text : policies) {
    auto found = baselines_.find(text);
    if (found == baselines_.end()) {
      const auto policy = make_policy(text);
      if (!policy) continue;
      found = baselines_.emplace(text, Baseline{WhatIfSimulation(live, *policy), {}}).first;
    }
    Baseline& baseline = found->second;
    baseline.simulation.follow(live);
    const std::vector<ContextState>& contexts = baseline.simulation.snapshot().contexts;
    for (const Digest128& key : requests) {
      if (stop && stop()) return;
      const auto context =
          std::lower_bound(contexts.begin(), contexts.end(), key,
                           [](const ContextState& state, const Digest128& k) { return state.key < k; });
      if (context == contexts.end() || context->key != key) continue;
      const std::string family = context->family;
      const SimulatedRequest served = baseline.simulation.request(static_cast<std::size_t>(context - contexts.begin()));
      const auto add = [&](Sums& sums) {
        sums.quality += served.quality;
        sums.ttft_seconds += served.ttft_service_seconds;
        ++sums.n;
      };
      add(baseline.by_family[""]);
      if (!family.empty()) add(baseline.by_family[family]);
    }
  }
}

std::vector<SimulatedPoint> WhatIfBaselines::points(const QString& family) const {
  std::vector<SimulatedPoint> points;
  for (const auto& [text, baseline] : baselines_) {
    const auto sums = baseline.by_family.find(from_q(family));
    if (sums == baseline.by_family.end() || sums->second.n == 0) continue;
    const double n = static_cast<double>(sums->second.n);
    points.push_back({to_q(text), {sums->second.quality / n, sums->second.ttft_seconds / n}, sums->second.n, true});
  }
  return points;
}

}  // namespace kvantage
