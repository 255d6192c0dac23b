// The command line of the window.
#pragma once

#include <optional>
#include <string>

#include "app/wiring/session_setup.h"

namespace kvantage {

struct WindowArguments {
  SessionOptions options;
  bool wait = false;  // open paused
  bool model_given = false, workload_given = false, database_given = false;
  std::string screenshots;  // folder to write pictures into; empty: the window is for a user
  std::string scenes, screenshot_theme, screenshot_size;
  std::string language;  // empty: the one that is kept; of pictures English
};

/// Reads the words before Qt takes its own out of them: what needs no display. An exit code where the program ends
/// here.
std::optional<int> answer_without_display(int argc, char** argv);
/// Reads the words that Qt left. An exit code where the program ends here.
std::optional<int> read_window_arguments(int argc, char** argv, WindowArguments& arguments);

}  // namespace kvantage
