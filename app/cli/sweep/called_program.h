// Other programs that this one calls for an answer: no shell is between, so that no name is ever expanded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::cli {

struct ProgramAnswer {
  int exit_code = 0;       // 128 + the signal that ended it, as shells report it
  std::string out, error;  // the first 64 KiB of each
};

/// Starts words[0], of PATH, without input, and waits for its end. not_found: there is no such program; cancelled:
/// `give_up`, asked ten times a second, said so; io: it cannot be started, or took longer than `seconds`. In the last
/// two cases it is killed.
Expected<ProgramAnswer> call_program(const std::vector<std::string>& words, const std::function<bool()>& give_up,
                                     double seconds);

}  // namespace kvantage::cli
