// Why a read failed: the reason for statistics, and the error for the caller.
#pragma once

#include <utility>

#include "core/base/error.h"

namespace kvantage::inline ports {

enum class MissReason {
  absent,       // no such entry
  missing,      // its file is gone
  truncated,    // its file ends early
  checksum,     // the bytes differ from those written
  device,       // the system reports an error
  unavailable,  // the storage does not respond now; the entry may be intact
  replaced,     // another workbench stored another version, which is valid
  cancelled,
  rejected,  // the request itself was invalid
};

const char* to_string(MissReason reason);

/// Whether an entry with this failure is unusable.
bool condemns_entry(MissReason reason);

struct TransferError {
  MissReason reason = MissReason::device;
  Error error;
};

using TransferStatus = tl::expected<void, TransferError>;

inline tl::unexpected<TransferError> fail_transfer(MissReason reason, ErrorCode code, std::string message) {
  return tl::unexpected<TransferError>(TransferError{reason, Error{code, std::move(message)}});
}

}  // namespace kvantage::inline ports
