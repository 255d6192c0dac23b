// Cells of a figure at a paper's scale: the simulation of one policy each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/simulated_scale.h"
#include "core/experiments/studies/figure_arguments.h"

namespace kvantage::inline studies {

/// Of each of the policies, as text: usage error for an unknown one, or as check_simulated_policy().
Status check_simulated(const std::string& policies);

/// simulate_policy() of one policy after the other. `cancelled` where the host was interrupted.
Expected<std::vector<PolicyOutcome>> simulate_cells(const FigureArguments& arguments, const SimulatedScale& scale,
                                                    const std::vector<std::string>& policies,
                                                    const std::vector<double>& alphas,
                                                    const std::vector<std::size_t>& requests,
                                                    const std::vector<double>& arrivals = {});

}  // namespace kvantage::inline studies
