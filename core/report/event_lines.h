// One line of text per event, for a terminal.
#pragma once

#include <string>
#include <vector>

#include "core/ports/events.h"

namespace kvantage::inline report {

/// "     1.204 s     17  request.finished     request 3 on c02 from ssd: ...". Times and values as recorded.
std::string event_line(const Event& event, double seconds);

/// Every event type, as named by event_type().
std::vector<std::string> event_types();

}  // namespace kvantage::inline report
