// A figure as a user asks for it: `reproduce FIGURE` with its options, checked, completed with the figure's defaults,
// and made on a host. The command line and the window share it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/figures/program_figure_host.h"
#include "core/experiments/claims.h"

namespace kvantage::cli {

/// FIGURE, --model and the options of all figures; `arguments` must outlive the command. Its help shows, once a figure
/// is named, what that one reads.
void add_figure_options(CLI::App& command, FigureArguments& arguments);

/// usage for a name that is no figure's: with the nearest one, or why the papers' figure of that name is out of scope.
Status check_figure_name(const std::string& figure);

/// Options about storage, output and several models: of the command, whatever the figure.
bool is_of_the_command(const std::string& option);

/// The options of a figure that were given, without those of the command (is_of_the_command()).
std::vector<GivenOption> given_figure_options(const CLI::App& command);

/// Makes the figure that the parsed command names and shows it on the host. `progress` takes the lines of
/// FigureProgress, on any thread; empty: none. usage errors name the option and its value, or the nearest figure.
Status make_parsed_figure(CLI::App& command, FigureArguments& arguments, ProgramFigureHost& host,
                          std::function<void(const std::string& line)> progress = {});

/// The same from words: the figure's name, then options with their values; `arguments` takes what they say. usage for
/// those that cannot be parsed.
Status make_figure_of_words(const std::vector<std::string>& words, FigureArguments& arguments, ProgramFigureHost& host,
                            std::function<void(const std::string& line)> progress);

/// Of resources/claims.json. Errors: as read_claims().
Expected<std::vector<PaperClaim>> shipped_claims();

}  // namespace kvantage::cli
