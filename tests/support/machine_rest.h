// Whether the machine was this process's: a time that a person would wait is judged only where it was.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <algorithm>
#include <fstream>
#include <string>

namespace kvantage::test {

/// Counts since start() what others took of the processors: other processes, a hypervisor, or the end of this process's
/// quota. What the kernel does not count is 0.
class MachineRest {
 public:
  MachineRest() { start(); }
  void start() {
    wall_.start();
    from_ = now();
  }
  double seconds() const { return static_cast<double>(wall_.elapsed()) / 1e3; }
  /// Of the processors' time since start().
  double lost_share() const {
    const Times to = now();
    const double all = std::max(1e-3, to.all - from_.all);
    const double others = to.busy - from_.busy - (to.own - from_.own), stolen = to.stolen - from_.stolen;
    return std::max((std::max(0.0, others) + stolen) / all,
                    (to.throttled - from_.throttled) / std::max(1e-3, seconds()));
  }
  bool was_at_rest() const { return lost_share() < 0.2; }

 private:
  struct Times {  // seconds
    double busy = 0, stolen = 0, all = 0, own = 0, throttled = 0;
  };
  static Times now() {
    Times times;
    const double tick = 1.0 / static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
    std::ifstream machine("/proc/stat");
    std::string name;
    machine >> name;
    double ticks = 0;
    for (int column = 0; column < 8 && machine >> ticks; ++column) {  // user nice system idle iowait irq softirq steal
      times.all += ticks * tick;
      const bool idle = column == 3 || column == 4;
      (column == 7 ? times.stolen : times.busy) += idle ? 0 : ticks * tick;
    }
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    for (const timeval& part : {used.ru_utime, used.ru_stime})
      times.own += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
    std::ifstream quota("/sys/fs/cgroup/cpu.stat");
    for (double value = 0; quota >> name >> value;)
      if (name == "throttled_usec") times.throttled = value * 1e-6;
    return times;
  }

  QElapsedTimer wall_;
  Times from_;
};

}  // namespace kvantage::test
