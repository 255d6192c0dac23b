// The settings that a session begins with: those of its workload's session.json or of a recorded run, of the last
// session, and of options, in this order; and what holds where nobody chose.
#pragma once

#include "app/wiring/session_setup.h"

namespace kvantage::inline wiring {

/// has_default_tiers: the tiers among the options are of a default size. Errors as of open_session().
Expected<SessionSettings> settings_of_session(const SessionOptions& options, bool has_default_tiers);

}  // namespace kvantage::inline wiring
