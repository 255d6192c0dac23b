// What the program says about a command line that it cannot read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kvantage::cli {

/// One line that ends with a newline: what is wrong, the name that may be meant, and the help to read. The library's
/// own message takes two lines and does not name a subcommand or an option that there is not.
std::string usage_error_text(const CLI::App* program, const CLI::Error& error);

}  // namespace kvantage::cli
