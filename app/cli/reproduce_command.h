// What the files of `reproduce` share.
#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/experiments/figures/figure_makers.h"

namespace kvantage::cli {

struct ReproduceAll {
  std::string folder;
  bool quick = false, brief = false, gpu = false;
  std::string model;
  std::string only;  // figures, comma-separated; empty: all
};
/// Every figure of the papers into one folder, and its pages; prints a line for each.
Status reproduce_all(const ReproduceAll& asked);

/// What becomes of the lines of a figure's progress: a progress line, JSON on stderr, or nothing.
std::function<void(const std::string& line)> progress_writer(const FigureArguments& arguments);

}  // namespace kvantage::cli
