// Figures of EvicPress that depend only on quality curves: how contexts differ in tolerance (3), which method hurts
// each least (4), and the best removed fraction (5). Read from the profiles of a snapshot, whatever their source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiments/paper_figures.h"
#include "core/policy/types.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// Relative quality drop of a context at a method and removed fraction: (Q(none) - Q) / Q(none), section 3.1. Nothing
/// where either was not measured or the uncompressed quality is 0.
std::optional<double> sensitivity(const ContextState& context, const std::string& method, double removed_fraction);

/// Figure evicpress/fig3 with keydiff at 0.9: quantiles of the sensitivities; median and coefficient of variation per
/// family.
FigureResult figure_sensitivities(const PaperFigure& figure, const Snapshot& snapshot, const std::string& method,
                                  double removed_fraction);

/// Figure evicpress/fig4 with kvzip, knorm and snapkv at 0.6: shares of the contexts that each method hurts least, and
/// the lengths of those contexts, as a distribution a method. Ties are split between the methods and counted
/// separately; among the lengths a tie is in each group.
FigureResult figure_least_hurting(const PaperFigure& figure, const Snapshot& snapshot,
                                  const std::vector<std::string>& methods, double removed_fraction);

/// Figure evicpress/fig5: per family the removed fraction that maximizes normalized quality - normalized TTFT over the
/// methods, loaded from one tier (index into the snapshot's). Normalized: divided by the context's own value at removed
/// fraction 0. Standard deviations are drawn beside the means: whiskers are 95 % intervals.
FigureResult figure_best_fractions(const PaperFigure& figure, const Snapshot& snapshot,
                                   const std::vector<std::string>& methods, std::size_t tier);

}  // namespace kvantage::inline experiments
