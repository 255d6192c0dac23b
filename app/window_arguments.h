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
  std::string screenshots;  // folder for screenshots; empty: an interactive window
  std::string scenes, screenshot_theme, screenshot_size;
  int screenshot_text = 0;  // percent; 0: as the window has it
  bool documentation_pictures = false;
  std::string language;        // empty: the saved one; for screenshots English
  std::string listen;          // path of the session's socket; empty: none
  std::string lesson;          // a LessonPlace (ui/learn/model/lesson_link.h), whose workload is set; empty: none
  std::string startup_timing;  // file for the times of the start; empty: none
};

/// Call before Qt removes its own options: handles options that need no display. An exit code if the program ends here.
std::optional<int> answer_without_display(int argc, char** argv);
/// Parses what Qt left. An exit code if the program ends here.
std::optional<int> read_window_arguments(int argc, char** argv, WindowArguments& arguments);

}  // namespace kvantage
