// Why a read failed: the reason that statistics count by, and the error the caller sees.
#pragma once

#include <utility>

#include "core/base/error.h"

namespace kvantage {

enum class MissReason {
  absent,       // no such entry
  missing,      // its file is gone
  truncated,    // its file ends early
  checksum,     // the bytes are not those that were written
  device,       // the system reports an error
  unavailable,  // the place where it lies does not answer now; the entry may be as good as ever
  replaced,     // another workbench put another version in its place, and that one is good
  cancelled,
  rejected,  // the request itself was wrong
};

const char* to_string(MissReason reason);

/// Whether an entry that failed so is of no use any more.
bool condemns_entry(MissReason reason);

struct TransferError {
  MissReason reason = MissReason::device;
  Error error;
};

using TransferStatus = tl::expected<void, TransferError>;

inline tl::unexpected<TransferError> fail_transfer(MissReason reason, ErrorCode code, std::string message) {
  return tl::unexpected<TransferError>(TransferError{reason, Error{code, std::move(message)}});
}

}  // namespace kvantage
