// A recorded run as one HTML file that replays it in a browser: no server, and nothing is loaded. Texts of a run are
// data in it, never markup, and its Content-Security-Policy permits its own style and script alone, by their digests.
// The page itself is in resources/share.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/recorded_run.h"
#include "core/report/share/share_data.h"

namespace kvantage::inline share {

/// The page of a share_data(). The same bytes for the same data.
std::string to_share_page(const Json& data);
/// The same of a run with the events of share_event_types(). Errors: as share_data().
Expected<std::string> share_page(RecordedRun run, const ShareOptions& options = {});

/// Data as the content of a script element: no '<' and no line separator is left in it, and JSON reads it back.
std::string share_script_json(const Json& data);

}  // namespace kvantage::inline share
