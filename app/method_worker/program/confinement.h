// What a method worker may not do any more once it loads strangers' code: open files, sockets and other programs. By
// seccomp, in every thread of the process, for the rest of its life.
#pragma once

#include <cstdint>
#include <string>

namespace kvantage::inline method_program {

/// No core file, no files of any length, at most so many bytes of address space beyond what is in use (0: unlimited),
/// and the first process to end where memory is short.
void limit_resources(std::uint64_t memory_bytes);

/// Allows the system calls that computing and answering need, and no other; then proves that opening a file and making
/// a socket fail. Every thread of the process must have been started. Empty: confined; else why not.
std::string confine();

}  // namespace kvantage::inline method_program
