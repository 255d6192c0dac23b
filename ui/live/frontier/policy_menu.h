// The policies of the Frontier, to show and hide. The menu stays open while policies are chosen; what is hidden is kept
// by FrontierModel.
#pragma once

#include <QMenu>
#include <QString>
#include <vector>

#include "ui/live/frontier/model/frontier_model.h"

namespace kvantage {

struct PolicyChoice {
  QString policy, tip;
  bool uses_alpha = true;  // a curve; else a simulated point
  bool shown = true;
  bool present = false;  // the current one: always shown
  bool operator==(const PolicyChoice&) const = default;
};

/// Those on the chart and those that are hidden: curves first, then points, each by name.
std::vector<PolicyChoice> policy_choices(const FrontierModel& model);

class PolicyMenu : public QMenu {
  Q_OBJECT
 public:
  /// The model outlives the menu.
  explicit PolicyMenu(FrontierModel& model, QWidget* parent = nullptr);

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void fill();
  FrontierModel& model_;
};

}  // namespace kvantage
