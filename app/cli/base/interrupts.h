// Ctrl-C, SIGTERM or a terminal that closes ends the current work, not the program: results so far are kept and shown.
// A second one terminates immediately.
#pragma once

#include <functional>

#include "core/engine/engine.h"

namespace kvantage::cli {

inline constexpr int interrupted_exit_code = 130;  // as shells report SIGINT

/// From here on SIGINT and SIGTERM are recorded once instead of terminating, and SIGHUP, unless it is ignored (nohup).
void note_interrupts();
bool interrupted();
/// As if Ctrl-C were pressed. Any thread.
void request_interrupt();
/// Also writes a byte to `fd`, which stays open, for an event loop that would sleep on.
void wake_at_interrupts(int fd);

/// Waits until the engine is idle; stops it when `stop` says so, asked ten times a second. Returns the engine's
/// failure; cancelled when stopped before it could serve.
Status wait_until_idle(Engine& engine, const std::function<bool()>& stop = interrupted);

}  // namespace kvantage::cli
