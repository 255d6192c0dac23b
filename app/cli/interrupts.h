// Ctrl-C ends the work in hand, not the program: what was done until then is kept and shown. A second one ends it at
// once.
#pragma once

#include "core/engine/engine.h"

namespace kvantage::cli {

inline constexpr int interrupted_exit_code = 130;  // as shells report SIGINT

/// From here on SIGINT and SIGTERM are noted instead of obeyed, once.
void note_interrupts();
bool interrupted();

/// Waits until the engine has nothing left to do; stops it when interrupted. Its failure is the error; cancelled when
/// it was interrupted before it could serve.
Status wait_until_idle(Engine& engine);

}  // namespace kvantage::cli
