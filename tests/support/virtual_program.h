// A WindowProgram whose sessions run in virtual time. That time does not pass while a window is shown: the engine of a
// session loads when the session is closed.
#pragma once

#include <utility>

#include "app/window_program.h"
#include "tests/support/virtual_executor.h"

namespace kvantage::test {

class VirtualProgram {
 public:
  /// Requires a QApplication.
  explicit VirtualProgram(WindowArguments arguments) : program_(on(time_, std::move(arguments))) {}
  int run() { return program_.run(); }

 private:
  static WindowArguments on(VirtualExecutor& time, WindowArguments arguments) {
    arguments.options.executor = &time;
    arguments.options.threads = 1;
    return arguments;
  }

  VirtualExecutor time_;  // before the program, whose sessions run on it
  WindowProgram program_;
};

}  // namespace kvantage::test
