// The method worker's program: takes requests of app/method_worker/protocol.h until its socket ends.
#pragma once

namespace kvantage::inline method_program {

/// argv: threads, bytes of address space. The exit code.
int run_method_worker(int argc, char** argv);

}  // namespace kvantage::inline method_program
