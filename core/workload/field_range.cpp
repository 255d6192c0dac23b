#include "core/workload/field_range.h"

#include "core/base/units.h"

namespace kvantage::inline workload {

Status check_range(double value, double low, double high, const std::string& field) {
  if (value >= low && value <= high) return {};  // false for NaN
  return fail(ErrorCode::usage, "field '" + field + "' is out of range; give a number from " + format_fixed(low, 0) +
                                    " to " + format_fixed(high, 0));
}

}  // namespace kvantage::inline workload
