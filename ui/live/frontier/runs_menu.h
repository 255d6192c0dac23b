// What the Frontier shows of runs: the list of pinned and earlier ones, and how measured points are split.
#pragma once

#include <QMenu>

#include "ui/live/frontier/model/frontier_model.h"
#include "ui/runs/held_runs_view.h"

namespace kvantage {

class RunsMenu : public QMenu {
  Q_OBJECT
 public:
  /// The models outlive the menu.
  RunsMenu(HeldRunsModel& held, FrontierModel& frontier, QWidget* parent = nullptr);
  HeldRunsView& list() { return *list_; }

 private:
  HeldRunsView* list_;
};

}  // namespace kvantage
