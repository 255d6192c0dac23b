// Options that had another name in an earlier release. Scripts that use it keep working; no help shows it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kvantage::cli {

/// `words`: the command line without the program's name. Replaces former names of options of the command that it calls,
/// with or without "=VALUE"; words after "--" stay.
std::vector<std::string> with_present_options(const CLI::App& program, std::vector<std::string> words);

}  // namespace kvantage::cli
