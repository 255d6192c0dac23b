// Output that gets lost is a failure: on a full disk, or where standard output is closed.
#pragma once

namespace kvantage::inline wiring {

/// Opens the standard streams that are closed such that using them fails. Else the next file that is opened takes their
/// place, and what is printed ends up in it. Past the limit of a file's size (`ulimit -f`) writing fails from here on,
/// with EFBIG, instead of ending the process. Call first in main().
void hold_standard_streams();

/// Flushes standard output; call once, after all output. The exit code to end with: `code`, but 1 for 0 where something
/// was lost, which it says on stderr in one line.
int exit_code_after_output(int code);

}  // namespace kvantage::inline wiring
