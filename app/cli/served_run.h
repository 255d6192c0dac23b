// One run of a session under given settings, as used by sweeps and figures: recorded like any other, and read back.
#pragma once

#include <functional>

#include "app/cli/session_options.h"
#include "core/report/recorded_run.h"

namespace kvantage::cli {

/// Scales `tiers` to this share of the contexts' uncompressed bytes in total, keeping their proportions. usage where
/// one is unlimited.
Expected<std::vector<TierConfig>> budgets_of_uncompressed(const Engine& engine, std::vector<TierConfig> tiers,
                                                          double fraction);

/// Serves the session's workload once. `midway` changes the settings after half of the requests. cancelled on user
/// interrupt: the requests served so far stay in the database.
Expected<RecordedRun> serve_run(LiveSession& session, ConsoleSink& console, const SessionSettings& settings,
                                const std::function<void(SessionSettings&)>& midway = {});

}  // namespace kvantage::cli
