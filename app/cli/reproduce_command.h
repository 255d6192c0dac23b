// What the files of `reproduce` share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/report/figure.h"

namespace kvantage::cli {

struct ReproduceAll {
  std::string folder;
  bool quick = false, brief = false, gpu = false, any_program = false;
  AskedModel model;
  std::string only, skip;  // figures, comma-separated; empty: all, and none
};
/// Every figure of the papers into one folder, and its pages; prints a line for each.
Status reproduce_all(const ReproduceAll& asked);

/// What `reproduce FIGURE` does besides printing one figure.
struct FigureOutput {
  std::string models;                    // comma-separated; read where --models was given
  std::string picture;                   // file of the plots; empty: none
  std::string picture_width = "column";  // or "page"
};

/// The figure once for each model, printed as each is done, with --json as one list at the end; then, of two or more,
/// their verdicts side by side. Returns the models' results. usage for a figure without --model or where no model is
/// named, rejected_input for what is no model: all before any is made. Another error names its model; those after it
/// are left out, and what was made is printed.
Expected<std::vector<FigureResult>> reproduce_models(const CLI::App& command, const FigureArguments& arguments,
                                                     const std::string& models);

/// Before a figure is made for hours: usage, rejected_input for a folder that does not exist, and what
/// check_pictures() says.
Status check_picture(const FigureOutput& output);
/// Every plot of the results as asked; names the files on stderr, of several each with its model and table.
Status write_pictures(const std::vector<FigureResult>& results, const FigureOutput& output, bool quiet);

/// What becomes of the lines of a figure's progress: a progress line, JSON on stderr, or nothing. `behind`: what the
/// progress line says behind the figure's name.
std::function<void(const std::string& line)> progress_writer(const FigureArguments& arguments,
                                                             const std::string& behind = {});

}  // namespace kvantage::cli
