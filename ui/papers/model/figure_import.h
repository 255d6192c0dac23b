// Results that another program made: what `kvantage-cli reproduce --json` printed, or the folder of `reproduce all`.
#pragma once

#include <QString>

#include "core/base/error.h"
#include "ui/papers/model/figure_results.h"

namespace kvantage {

/// Keeps every result of a JSON file, or of those in a folder and the folders in it; returns how many. Other JSON files
/// of a folder are left alone. rejected_input: no result is there, a file of more than 64 MiB, or more than 1,000
/// files; then none is kept.
Expected<std::size_t> import_figures(FigureResults& results, const QString& path);

}  // namespace kvantage
