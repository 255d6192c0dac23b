// Completion scripts, generated from the commands so that they cannot differ from --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kvantage::cli {

/// Needs bash 4.4 and nothing else.
std::string bash_completion(const CLI::App& program);
/// For a file _kvantage-cli in a folder of $fpath.
std::string zsh_completion(const CLI::App& program);
std::string fish_completion(const CLI::App& program);

}  // namespace kvantage::cli
