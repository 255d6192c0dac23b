// kvantage-cli in a copy of the test's process: its two streams and its exit code as of a program that was started, but
// without the 0.3 s that loading libtorch takes. For tests that hold no thread, lock or database open meanwhile.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>

#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <functional>
#include <vector>

#include "app/cli_program.h"
#include "tests/support/command_line.h"

namespace kvantage::test {

/// Of a file in memory, which it closes.
inline QString all_of(int file) {
  QByteArray bytes;
  std::array<char, 1 << 16> part{};
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(file, part.data(), part.size())) > 0;)
    bytes.append(part.data(), static_cast<qsizetype>(got));
  ::close(file);
  return QString::fromUtf8(bytes);
}

/// Signals, locale and standard input as a program finds them that QProcess starts.
inline void become_a_new_program(int out, int error) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < SIGRTMIN; ++number) (void)std::signal(number, SIG_DFL);  // Qt Test has its own
  std::setlocale(LC_ALL, "C");
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
}

/// As main() takes them, the program first.
class CommandWords {
 public:
  explicit CommandWords(const QStringList& words) {
    for (const QString& word : words) bytes_.push_back(QFile::encodeName(word));
    for (QByteArray& word : bytes_) values_.push_back(word.data());
    values_.push_back(nullptr);
  }
  int count() const { return static_cast<int>(bytes_.size()); }
  char** values() { return values_.data(); }

 private:
  std::vector<QByteArray> bytes_;
  std::vector<char*> values_;
};

/// What a copy of this process says that does `work`, whose result is its exit code.
inline Answer forked(const std::function<int()>& work) {
  const int out = ::memfd_create("out", MFD_CLOEXEC), error = ::memfd_create("error", MFD_CLOEXEC);
  if (out < 0 || error < 0) return {-1, "", "no file in memory"};
  std::fflush(nullptr);  // else the child prints it, too
  const pid_t child = ::fork();
  if (child == 0) {
    become_a_new_program(out, error);
    const int code = work();
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  pid_t ended = -1;
  while (child > 0 && (ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  const int code = ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return {code, all_of(out), all_of(error)};
}

/// As call(), which starts the program itself.
inline Answer call_forked(const QStringList& arguments) {
  CommandWords command(QStringList{command_line_program()} + arguments);
  return forked([&command] { return cli::run_command_line(command.count(), command.values()); });
}

}  // namespace kvantage::test
