// A comparison of two runs for a paper: a table for booktabs, and pgfplots of the forest plot and of the contexts. In
// English, as every export; values, intervals and judgments are those of core/report.
#pragma once

#include <string>

#include "ui/runs/compare/model/compared_details.h"

namespace kvantage {

/// A tabular environment for a document that loads booktabs: metrics in groups, both values, the difference, its
/// paired 95 % interval and n. A star: the difference is significant.
std::string compared_booktabs(const RunComparison& comparison, std::size_t other);

/// A tikzpicture for a document that loads pgfplots: a row for each metric, differences in percent of the baseline.
std::string compared_forest_pgfplots(const RunComparison& comparison, std::size_t other);

/// The same of one metric by context: the baseline along x, the other run along y, and the diagonal. A comment where no
/// context is in both runs.
std::string compared_contexts_pgfplots(const RunComparison& comparison, const ComparedDetails& details,
                                       std::size_t other, const std::string& metric);

}  // namespace kvantage
