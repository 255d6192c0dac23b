// A program or a copy of this process, with what it took: processor seconds of all its threads and the most memory it
// held.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>

#include "tests/support/forked_command_line.h"

namespace kvantage::test {

struct Measured {
  Answer answer;  // without what it printed on stdout, which may be long
  double cpu_seconds = 0;
  double peak_mib = 0;  // resident; no less than that of the test's own process when it started the program

  QByteArray text() const {
    return QStringLiteral("%1 s of CPU, %2 MiB, ").arg(cpu_seconds, 0, 'f', 2).arg(peak_mib, 0, 'f', 0).toLocal8Bit() +
           answer.text();
  }
};

/// What a copy of this process takes for `work`, whose result is its exit code. Ended by the kernel after
/// `most_cpu_seconds`: then that is -1.
inline Measured measure_copy(const std::function<int()>& work, unsigned most_cpu_seconds) {
  Measured measured;
  const int error = ::memfd_create("error", MFD_CLOEXEC);
  std::fflush(nullptr);
  const pid_t child = error < 0 ? -1 : ::fork();
  if (child == 0) {
    become_a_new_program(::open("/dev/null", O_WRONLY | O_CLOEXEC), error);
    const rlimit most{most_cpu_seconds, most_cpu_seconds};
    ::setrlimit(RLIMIT_CPU, &most);
    const int code = work();
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  rusage used{};
  pid_t ended = -1;
  while (child > 0 && (ended = ::wait4(child, &status, 0, &used)) < 0 && errno == EINTR) {
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  measured.answer.exit_code = ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (error >= 0) measured.answer.error = all_of(error);
  measured.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  measured.peak_mib = static_cast<double>(used.ru_maxrss) / 1024;
  return measured;
}

/// A program that is started.
inline Measured measure(const QStringList& words, unsigned most_cpu_seconds) {
  CommandWords command(words);
  return measure_copy(
      [&command] {
        ::execv(command.values()[0], command.values());
        return 127;
      },
      most_cpu_seconds);
}

/// kvantage-cli, as call_forked().
inline Measured measure_forked(const QStringList& arguments, unsigned most_cpu_seconds) {
  CommandWords command(QStringList{command_line_program()} + arguments);
  return measure_copy([&command] { return cli::run_command_line(command.count(), command.values()); },
                      most_cpu_seconds);
}

}  // namespace kvantage::test
