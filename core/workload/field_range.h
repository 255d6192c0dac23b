// One message for out-of-range numbers anywhere in a workload.
#pragma once

#include <string>

#include "core/base/error.h"

namespace kvantage::inline workload {

/// usage error unless low <= value <= high; NaN is rejected too.
Status check_range(double value, double low, double high, const std::string& field);

}  // namespace kvantage::inline workload
