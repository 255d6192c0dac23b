#include "core/experiments/studies/simulated_cells.h"

#include <utility>

#include "core/base/form_text.h"
#include "core/engine/settings_check.h"

namespace kvantage::inline studies {

Status check_simulated(const std::string& policies) {
  for (const std::string& text : split_policies(policies)) {
    KV_ASSIGN(const auto policy, make_servable_policy(text));
    KV_TRY(check_simulated_policy(*policy));
  }
  return {};
}

Expected<std::vector<PolicyOutcome>> simulate_cells(const FigureArguments& arguments, const SimulatedScale& scale,
                                                    const std::vector<std::string>& policies,
                                                    const std::vector<double>& alphas,
                                                    const std::vector<std::size_t>& requests,
                                                    const std::vector<double>& arrivals) {
  std::vector<PolicyOutcome> outcomes;
  for (const std::string& text : policies) {
    if (arguments.host->interrupted()) return fail(ErrorCode::cancelled, "interrupted");
    arguments.lines->begin_cell(text + ", " + scale.name);
    KV_ASSIGN(auto some, simulate_policy(scale, text, alphas, requests, arrivals));
    for (PolicyOutcome& outcome : some) outcomes.push_back(std::move(outcome));
    arguments.lines->end_cell();
  }
  return outcomes;
}

}  // namespace kvantage::inline studies
