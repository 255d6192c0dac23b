// A figure of answers under decode-time eviction: scores once, times in blocks.
#pragma once

#include <utility>
#include <vector>

#include "core/experiments/studies/decode_cells.h"
#include "core/experiments/studies/decode_claims.h"
#include "core/experiments/studies/experiment.h"

namespace kvantage::inline studies {

class DecodeExperiment final : public Experiment {
 public:
  /// Adds what the cells measure of the claims about the figure.
  using AddClaims = void (*)(const DecodeClaims& cells, FigureResult& result);

  DecodeExperiment(PaperFigure figure, DecodeMeasures measures, AddClaims add_claims)
      : Experiment(std::move(figure)), measures_(measures), add_claims_(add_claims) {}

  Status check(const FigureArguments& arguments) const override;
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override;

 private:
  const DecodeMeasures measures_;
  const AddClaims add_claims_;
};

}  // namespace kvantage::inline studies
