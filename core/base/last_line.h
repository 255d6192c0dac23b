// What no caller handles ends the program with one line on stderr and exit code 1, on whatever thread it happens.
#pragma once

#include <string_view>

namespace kvantage {

/// What is before a line that an error ends with.
inline constexpr std::string_view error_prefix = "error: ";

/// Prints "error: ..." and ends the process at once, without destructors. `line` has no newline. Safe in a signal
/// handler and without memory.
[[noreturn]] void end_with_line(std::string_view line);

/// Ends the process as above, with the message of the current exception.
[[noreturn]] void end_with_current_exception();

/// From here on an exception that leaves a thread, a function that promises none, or main() ends the program as above,
/// not with a core. Call first in main().
void install_last_line();

}  // namespace kvantage
