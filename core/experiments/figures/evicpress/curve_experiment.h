// A figure of EvicPress that depends only on the quality curves of a workload's contexts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiments/studies/quality_experiment.h"
#include "core/policy/types.h"

namespace kvantage::inline evicpress_figures {

/// What is asked of the curves, each at least one.
struct AskedCurves {
  std::vector<std::string> methods;  // that remove tokens
  std::vector<double> removed_fractions;
};

class CurveExperiment final : public QualityExperiment {
 public:
  using Compute = FigureResult (*)(const PaperFigure& figure, const Snapshot& snapshot, const AskedCurves& asked);
  CurveExperiment(PaperFigure figure, Compute compute) : QualityExperiment(std::move(figure)), compute_(compute) {}

  Status check(const FigureArguments& arguments) const override;

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override;

 private:
  const Compute compute_;
};

}  // namespace kvantage::inline evicpress_figures
