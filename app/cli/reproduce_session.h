// What the figures of EvicPress and AdaptCache share: a session on a workload, its quality curves, and runs of policies
// under given budgets. Runs are recorded like any other.
#pragma once

#include <functional>

#include "app/cli/reproduce.h"
#include "app/cli/session_options.h"
#include "core/study/policy_outcome.h"

namespace kvantage::cli {

/// Opened on the workload of the arguments, with curves measured of all its candidates.
Expected<LiveSession> open_study(const ReproduceArguments& arguments, std::uint64_t seed,
                                 const std::vector<std::string>& methods, ConsoleSink& console);
Expected<std::vector<double>> study_numbers(const std::string& text, const char* option);

/// The session's tiers with this share of the contexts' uncompressed bytes; shares among them as in the settings.
std::vector<TierSetting> scaled_tiers(const Engine& engine, double budget_fraction);

/// Serves the workload once under the settings and gives the records that count.
Expected<std::vector<RequestRecord>> run_study(LiveSession& session, ConsoleSink& console, const SessionSettings& settings);

/// Workload, methods, seeds and machine, as every figure names them.
Json study_settings(const ReproduceArguments& arguments, const Engine& engine);

}  // namespace kvantage::cli
