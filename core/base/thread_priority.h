#pragma once

namespace kvantage {

/// Scheduling priority of a thread by its effect on the user, highest first. Linux schedules the threads of one process
/// by it.
enum class ThreadPriority {
  window,        ///< responds to input: short time slices, immediate wakeup
  transfers,     ///< moves bytes that somebody waits for: short slices between matrix products; inherits its parent's
                 ///< priority
  curves,        ///< the curve that the user waits for
  other_curves,  ///< curves for comparison
  engine,        ///< the model's compute; libtorch's workers inherit the priority of their parent
  forecasts      ///< runs whenever a core is idle
};

/// Sets the priority of the calling thread and of threads that it starts later. No effect where the kernel refuses.
void rank_this_thread(ThreadPriority rank);

}  // namespace kvantage
