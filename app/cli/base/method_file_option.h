// --method-file of every command that takes methods.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kvantage::cli {

/// Declares the option, repeatable. Its files are opened as soon as the command line is read, so that every other
/// option may name their methods. names: gets the canonical names of those methods; null: nobody asks.
void add_method_file_option(CLI::App& command, std::vector<std::string>* names = nullptr);

}  // namespace kvantage::cli
