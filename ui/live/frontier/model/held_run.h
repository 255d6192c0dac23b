// Points of other runs that the Frontier draws beside the present one: pinned by the user, or ghosts of the runs before
// this one.
#pragma once

#include <QString>
#include <vector>

#include "ui/live/frontier/model/frontier_types.h"

namespace kvantage {

struct HeldRun {
  QString id;          // of the recorded run; empty: this window's, not recorded
  QString name;        // made from what differs, or the user's own
  int color = 0;       // index of Theme::run() and run_dashes(), kept while it is held
  bool ghost = false;  // an earlier run of this window, not pinned: drawn faintly
  bool shown = true;
  std::vector<MeasuredPoint> points;  // one a segment of unchanged settings
};

}  // namespace kvantage
