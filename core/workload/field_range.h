// One wording for a number that is out of range, wherever in a workload it stands.
#pragma once

#include <string>

#include "core/base/error.h"

namespace kvantage {

/// usage error unless low <= value <= high; what is no number is refused too.
Status check_range(double value, double low, double high, const std::string& field);

}  // namespace kvantage
