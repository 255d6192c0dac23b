// What the window gets from whoever makes it: its settings file, what it may open, what it can ask.
#pragma once

#include <QString>
#include <vector>

#include "ui/sample_menu.h"
#include "ui/workload_opener.h"

namespace kvantage {

struct WindowOptions {
  QString settings_file;       // empty: the user's own
  bool start_at_once = false;  // begin serving as soon as the session is ready
  CheckWorkload check_workload = {};  // without it no other workload can be opened from the window
  std::vector<SampleEntry> samples = {};  // that ship, for the menu
};

}  // namespace kvantage
