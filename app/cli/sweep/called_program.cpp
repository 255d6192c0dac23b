#include "app/cli/sweep/called_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/unique_fd.h"

namespace kvantage::cli {
namespace {

constexpr std::size_t max_answer_bytes = std::size_t{64} << 10;
constexpr int look_milliseconds = 100;

struct AnswerPipe {
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    ours = UniqueFd(ends[0]);
    theirs = UniqueFd(ends[1]);
    return ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) == 0;
  }
  /// False: its end was reached.
  bool read_into(std::string& text) const {
    std::array<char, 4096> bytes{};
    while (true) {
      const ssize_t got = ::read(ours.get(), bytes.data(), bytes.size());
      if (got == 0) return false;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
      const std::size_t room = max_answer_bytes - std::min(max_answer_bytes, text.size());
      text.append(bytes.data(), std::min(room, static_cast<std::size_t>(got)));
    }
  }
  UniqueFd ours, theirs;
};

/// 0 or errno. In a process group of its own, so that Ctrl-C in a terminal is not for it.
int start_program(std::vector<std::string> words, int out, int error, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, 1);
  ::posix_spawn_file_actions_adddup2(&actions, error, 2);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int result = ::posix_spawnp(&pid, pointers.front(), &actions, &attributes, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return result;
}

void end_program(pid_t pid) {
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

Expected<ProgramAnswer> call_program(const std::vector<std::string>& words, const std::function<bool()>& give_up,
                                     double seconds) {
  const std::string name = printable(words.front());
  AnswerPipe out, error;
  if (!out.open() || !error.open())
    return fail(ErrorCode::io, name + ": cannot be started (" + std::strerror(errno) + ")");
  pid_t pid = 0;
  if (const int reason = start_program(words, out.theirs.get(), error.theirs.get(), pid); reason != 0)
    return fail(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                name + ": cannot be started (" + std::strerror(reason) + "); check that it is in PATH");
  out.theirs = UniqueFd();
  error.theirs = UniqueFd();
  ProgramAnswer answer;
  const SystemClock clock;
  const double begun_at = clock.seconds();
  int status = 0;
  // Who closes its output may still run.
  for (bool out_open = true, error_open = true; out_open || error_open || ::waitpid(pid, &status, WNOHANG) == 0;) {
    std::array<pollfd, 2> ready{
        {{out_open ? out.ours.get() : -1, POLLIN, 0}, {error_open ? error.ours.get() : -1, POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), look_milliseconds);
    if (out_open) out_open = out.read_into(answer.out);
    if (error_open) error_open = error.read_into(answer.error);
    const bool too_long = clock.seconds() - begun_at > seconds;
    if (!too_long && !(give_up && give_up())) continue;
    end_program(pid);
    if (!too_long) return fail(ErrorCode::cancelled, "interrupted while " + name + " was running");
    return fail(ErrorCode::io, name + ": no answer within " + std::to_string(static_cast<int>(seconds)) +
                                   " seconds; check that its server runs");
  }
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return answer;
}

}  // namespace kvantage::cli
