#include "core/ports/transfer_error.h"

namespace kvantage::inline ports {

const char* to_string(MissReason reason) {
  switch (reason) {
    case MissReason::absent:
      return "absent";
    case MissReason::missing:
      return "missing";
    case MissReason::truncated:
      return "truncated";
    case MissReason::checksum:
      return "checksum";
    case MissReason::device:
      return "device";
    case MissReason::unavailable:
      return "unavailable";
    case MissReason::replaced:
      return "replaced";
    case MissReason::cancelled:
      return "cancelled";
    case MissReason::rejected:
      return "rejected";
  }
  return "device";
}

bool condemns_entry(MissReason reason) {
  return reason == MissReason::missing || reason == MissReason::truncated || reason == MissReason::checksum ||
         reason == MissReason::device;
}

}  // namespace kvantage::inline ports
