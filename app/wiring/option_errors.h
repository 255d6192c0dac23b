// Errors of settings in the words of the command line.
#pragma once

#include "app/wiring/session_setup.h"

namespace kvantage::inline wiring {

/// Of a setting that an option gave, the error names the option: "--alpha: must be 0 or greater".
Error named_by_option(Error error, const SessionOptions& options);

}  // namespace kvantage::inline wiring
