// `reproduce FIGURE` as a command of its own: its options, and what it does once they are parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/cli/console_figure_host.h"

namespace kvantage::cli {

/// FIGURE, --model and the options of all figures; `arguments` must outlive the command.
void add_figure_options(CLI::App& command, FigureArguments& arguments);

/// Makes the figure that the parsed command names and shows it on the host.
Status make_parsed_figure(CLI::App& command, FigureArguments& arguments, ConsoleFigureHost& host);

/// Of resources/claims.json. Errors: as read_claims().
Expected<std::vector<PaperClaim>> shipped_claims();

struct ReproduceAll {
  std::string folder;
  bool quick = false, gpu = false;
  std::string model;
};
/// Every figure of the papers into one folder, and its pages; prints a line for each.
Status reproduce_all(const ReproduceAll& asked);

}  // namespace kvantage::cli
