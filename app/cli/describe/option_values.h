// What an option or argument may be given, as far as that is known beforehand: for completion.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/base/usage_error.h"

namespace kvantage::cli {

struct OptionValues {
  enum class Paths { none, files, folders };

  std::vector<std::string> names;
  Paths paths = Paths::none;  // besides the names
  bool list = false;          // the value may be several names, separated by commas
};

/// `command`: "trace info". Nothing is known of numbers, texts and names that the user chooses.
OptionValues values_of(const CLI::App& program, std::string_view command, const CLI::Option& option);

/// Methods of `methods`, policies of `policies`, presets of `workload make`; nothing for other commands.
NamedThings named_things(const std::string& command);

}  // namespace kvantage::cli
