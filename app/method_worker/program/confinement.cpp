#include "app/method_worker/program/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <vector>

namespace kvantage::inline method_program {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_architecture = 0;  // nobody has tried which calls it needs
#endif

// Memory, waiting, time, random bytes, and the files that are open. No call with a path, none that makes a file,
// process or thread, none that acts on another process.
constexpr std::array allowed_calls {
  SYS_read, SYS_write, SYS_close, SYS_recvfrom, SYS_sendto, SYS_ppoll, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect,
      SYS_madvise, SYS_brk, SYS_futex, SYS_set_robust_list, SYS_membarrier, SYS_sched_yield, SYS_sched_getaffinity,
      SYS_getcpu, SYS_getpid, SYS_gettid, SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_getrandom, SYS_clock_gettime,
      SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_rt_sigaction, SYS_rt_sigprocmask,
      SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit, SYS_exit_group,
#if defined(SYS_rseq)
      SYS_rseq,
#endif
#if defined(__x86_64__)
      SYS_poll, SYS_time, SYS_arch_prctl,
#endif
};

sock_filter load_word(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter answer_with(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
/// Skips so many instructions unless the loaded word is `value`.
sock_filter unless_equal(std::uint32_t value, std::uint8_t skipped) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
}

std::vector<sock_filter> filter_of_calls() {
  constexpr std::uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter{load_word(offsetof(seccomp_data, arch)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, this_architecture, 1, 0),
                                  answer_with(SECCOMP_RET_KILL_PROCESS), load_word(offsetof(seccomp_data, nr))};
  filter.reserve(filter.size() + 2 * allowed_calls.size() + 5);
  for (const auto call : allowed_calls) {
    filter.push_back(unless_equal(static_cast<std::uint32_t>(call), 1));
    filter.push_back(answer_with(SECCOMP_RET_ALLOW));
  }
  // A failed assertion ends its own process with a signal.
  filter.push_back(unless_equal(SYS_tgkill, 3));
  filter.push_back(load_word(offsetof(seccomp_data, args)));
  filter.push_back(unless_equal(static_cast<std::uint32_t>(::getpid()), 1));
  filter.push_back(answer_with(SECCOMP_RET_ALLOW));
  filter.push_back(answer_with(refuse));
  return filter;
}

std::string why(const char* what) { return std::string(what) + ": " + std::generic_category().message(errno); }

/// What still works and must not.
std::string open_door() {
  if (::open("/proc/self/status", O_RDONLY | O_CLOEXEC) >= 0) return "files can be opened";
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) return "sockets can be made";
  return {};
}

}  // namespace

void limit_resources(std::uint64_t memory_bytes) {
  const auto limit = [](__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    (void)::setrlimit(resource, &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  std::ofstream("/proc/self/oom_score_adj") << "1000\n";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map more address space than any limit
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const long page = ::sysconf(_SC_PAGE_SIZE);
  if (memory_bytes > 0 && pages > 0 && page > 0)
    limit(RLIMIT_AS, pages * static_cast<std::uint64_t>(page) + memory_bytes);
#endif
}

std::string confine() {
  if (this_architecture == 0) return "no filter of system calls is written for this processor";
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // no other program of the user looks into it
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return why("PR_SET_NO_NEW_PRIVS");
  std::vector<sock_filter> filter = filter_of_calls();
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  const long refused = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (refused < 0) return why("seccomp");
  if (refused > 0) return "seccomp: thread " + std::to_string(refused) + " has a filter of its own";
  return open_door();
}

}  // namespace kvantage::inline method_program
