#include "core/base/thread_priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace kvantage {

namespace {

/// Requests a time slice of `nanoseconds` (Linux 6.12; earlier kernels ignore the field for a normal thread). A thread
/// with a short slice is scheduled earlier after a wakeup.
void ask_for_turns(std::uint64_t nanoseconds) {
  struct {  // struct sched_attr of sched_setattr(2), its first version
    std::uint32_t size = 48, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  attributes.runtime = nanoseconds;
  attributes.nice = ::getpriority(PRIO_PROCESS, 0);
  (void)::syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

}  // namespace

void rank_this_thread(ThreadPriority rank) {
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  switch (rank) {
    case ThreadPriority::window:
    case ThreadPriority::transfers:
      ask_for_turns(100'000);
      return;
    case ThreadPriority::curves:
      (void)::setpriority(PRIO_PROCESS, thread, 2);
      break;
    case ThreadPriority::other_curves:
      (void)::setpriority(PRIO_PROCESS, thread, 4);
      break;
    case ThreadPriority::engine:
      (void)::setpriority(PRIO_PROCESS, thread, 5);
      break;
    case ThreadPriority::forecasts:
      (void)::setpriority(PRIO_PROCESS, thread, 10);
      break;
  }
  ask_for_turns(0);  // the kernel's default, not that of the parent thread
}

}  // namespace kvantage
