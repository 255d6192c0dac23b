// When the source that was built is from: the same source gives the same date, whenever it is built.
#pragma once

#include <string>

namespace kvantage::inline wiring {

/// "2026-11-25", the day of the commit, else of SOURCE_DATE_EPOCH where the build had it; empty: not known.
std::string build_date();

}  // namespace kvantage::inline wiring
