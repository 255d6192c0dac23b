#include "core/base/error.h"

namespace kvantage {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::rejected_input:
      return "rejected_input";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::io:
      return "io";
    case ErrorCode::no_space:
      return "no_space";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::unauthorized:
      return "unauthorized";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace kvantage
