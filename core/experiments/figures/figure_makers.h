// Makes a paper's figure by its name: checks of option values, and the one place that shows results. Descriptions and
// default settings are in core/experiments/paper_figures.h.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/studies/figure_arguments.h"

namespace kvantage::inline figures {

/// Checks option values against the figure: usage error before anything is loaded, or for an unknown figure.
Status check_figure(const FigureArguments& arguments, const PaperFigure& figure);
/// Whether a figure is made over a workload, in sessions that the host opens.
bool serves_sessions(const std::string& figure);
/// Computes the requested figure and shows it. Errors: of opening a session or of options, or `cancelled`.
Status make_figure(const FigureArguments& arguments);

}  // namespace kvantage::inline figures
