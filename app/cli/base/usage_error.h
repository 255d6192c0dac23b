// What the program says about a command line that it cannot read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace kvantage::cli {

/// What a command is about, whose names may be given to it by mistake.
struct NamedThings {
  std::vector<std::string> names;
  std::string option;  // "--preset ": how the command takes one; empty: it lists them all
};
/// Of a command: "workload make".
using NamesOf = std::function<NamedThings(const std::string& command)>;

/// One line that ends with a newline: what is wrong, the name that may be meant, and the help to read. The library's
/// own message takes two lines and does not name a subcommand or an option that there is not.
/// names_of: empty: words that no command takes are not looked up.
std::string usage_error_text(const CLI::App* program, const CLI::Error& error, const NamesOf& names_of = {});

}  // namespace kvantage::cli
