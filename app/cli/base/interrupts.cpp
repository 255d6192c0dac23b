#include "app/cli/base/interrupts.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "app/cli/base/progress_line.h"

namespace kvantage::cli {
namespace {

volatile std::sig_atomic_t seen = 0;
volatile std::sig_atomic_t wakes = -1;  // a descriptor; below 0: none

void note(int) {
  const int before = errno;
  seen = 1;
  if (wakes >= 0) (void)!::write(wakes, "", 1);
  errno = before;
}

}  // namespace

void note_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  if (::sigaction(SIGHUP, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  action.sa_flags = static_cast<int>(SA_RESTART);  // the shell and the terminal may both send it
  ::sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return seen != 0; }

void request_interrupt() { note(0); }

void wake_at_interrupts(int fd) { wakes = fd; }

Status wait_until_idle(Engine& engine, const std::function<bool()>& stop) {
  constexpr double look_every_seconds = 0.1;  // signals do not wake waiters
  for (bool stopped = false;;) {
    const RunState state = engine.wait_while_busy(look_every_seconds);
    if (state != RunState::loading && state != RunState::running) stderr_progress().clear();
    if (state == RunState::failed) return tl::unexpected(engine.failure());
    if (state == RunState::loading && stop()) return fail(ErrorCode::cancelled, "interrupted while loading");
    if (state != RunState::loading && state != RunState::running) return {};
    if (state == RunState::running && stop() && !std::exchange(stopped, true)) engine.stop();
  }
}

}  // namespace kvantage::cli
