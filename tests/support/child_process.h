// A part of a test in a process of its own, as it ends that process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace kvantage::test {

struct ChildEnd {
  int exit_code = -1;  // -1: a signal ended it
  std::string error;   // what it wrote to stderr
};

/// Runs `body` in a child; exit code 0 where it returns.
inline ChildEnd in_child(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    body();
    ::_exit(0);
  }
  ::close(ends[1]);
  ChildEnd end;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = ::read(ends[0], bytes.data(), bytes.size())) > 0;)
    end.error.append(bytes.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace kvantage::test
