// The guided tour: five things to touch, from alpha to a changed frontier and what is behind it.
#pragma once

#include "ui/learn/walkthrough.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/session/settings_controller.h"
#include "ui/window/parts/window_views.h"

namespace kvantage {

class Tour : public Walkthrough {
  Q_OBJECT
 public:
  Tour(QWidget& window, SettingsController& settings, FrontierPage& frontier, WindowViews& views);
  void start();

 private:
  std::vector<WalkStep> make_steps();
  SettingsController& settings_;
  FrontierPage& frontier_;
  WindowViews& views_;
};

}  // namespace kvantage
