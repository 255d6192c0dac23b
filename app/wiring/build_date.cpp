#include "app/wiring/build_date.h"

#include "commit.h"

namespace kvantage::inline wiring {

std::string build_date() { return build_commit_date; }

}  // namespace kvantage::inline wiring
