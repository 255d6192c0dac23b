// Checks of option values, for CLI::Option::check(): what fails is named with what to write instead.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kvantage::cli {

/// The largest values of options. A recorded run, whoever recorded it, cannot name larger ones (run_from.cpp).
inline constexpr int max_threads = 1024;
inline constexpr std::uint64_t max_context_tokens = 10'000'000, max_probes = 1000,
                               max_whole_number = std::numeric_limits<std::int64_t>::max();

/// Digits and nothing else (the parser would take -1 for the largest number), up to `most`.
CLI::Validator whole_number(std::uint64_t most = max_whole_number);

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
