// Checks of option values, for CLI::Option::check(): what fails is named with what to write instead.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kvantage::cli {

/// Digits and nothing else (the parser would take -1 for the largest number), up to `most`.
CLI::Validator whole_number(std::uint64_t most = std::numeric_limits<std::int64_t>::max());

/// One of these names. Help shows them in braces; an unknown one is answered with the nearest.
CLI::Validator one_of(std::vector<std::string> names);

/// A number from 0 to below 1.
CLI::Validator fraction();

/// Names of shipped models become their folders (see model_path); other values stay. For CLI::Option::transform().
CLI::Validator shipped_model();

/// Every flag of a command and of those below it is refused with a value: the parser would take --details=3. Call when
/// all are declared.
void refuse_flag_values(CLI::App& program);

}  // namespace kvantage::cli
