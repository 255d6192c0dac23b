// A figure that is made over a workload: EvicPress and AdaptCache.
#pragma once

#include <string>

#include "core/experiments/studies/experiment.h"

namespace kvantage::inline studies {

class ServedExperiment : public Experiment {
 public:
  bool serves_sessions() const override { return true; }
  /// Budgets, rates, alphas, removed fractions, policies, methods and the quality metric, those that the figure reads.
  Status check(const FigureArguments& arguments) const override;

 protected:
  using Experiment::Experiment;
};

/// usage error for a method that removes no tokens: for figures about removed fractions.
Status check_methods_remove(const PaperFigure& figure, const std::string& methods);

}  // namespace kvantage::inline studies
