// One run of a session under given settings, as used by sweeps and figures: recorded like any other, and read back.
#pragma once

#include <functional>

#include "app/cli/session_options.h"
#include "core/report/recorded_run.h"

namespace kvantage::cli {

/// Serves the session's workload once. `midway` changes the settings when half of the requests have been answered.
/// cancelled where the user interrupted it: what was served so far is kept in the database.
Expected<RecordedRun> serve_run(LiveSession& session, ConsoleSink& console, const SessionSettings& settings,
                                const std::function<void(SessionSettings&)>& midway = {});

}  // namespace kvantage::cli
