// One run of a session under given settings, as used by sweeps and figures: recorded like any other, and read back.
#pragma once

#include <functional>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/request_counter.h"
#include "app/wiring/session_setup.h"
#include "core/report/recorded_run.h"

namespace kvantage::cli {

/// Serves the session's workload once. `midway` changes the settings when half of the requests have been answered.
/// cancelled where `stop` says so, asked often: what was served so far is kept in the database. `counter`: one of the
/// session's sinks.
Expected<RecordedRun> serve_run(LiveSession& session, RequestCounter& counter, const SessionSettings& settings,
                                const std::function<void(SessionSettings&)>& midway = {},
                                const std::function<bool()>& stop = interrupted);

}  // namespace kvantage::cli
