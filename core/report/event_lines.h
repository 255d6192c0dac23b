// An event in a line of words and figures, for a terminal.
#pragma once

#include <string>
#include <vector>

#include "core/ports/events.h"

namespace kvantage {

/// "     1.204 s     17  request.finished     request 3 on c02 from ssd: ...". Times and figures as recorded.
std::string event_line(const Event& event, double seconds);

/// Every type of event, as event_type() names them.
std::vector<std::string> event_types();

}  // namespace kvantage
