#include "ui/live/frontier/runs_menu.h"

#include <QAction>
#include <QWidgetAction>

namespace kvantage {

RunsMenu::RunsMenu(HeldRunsModel& held, FrontierModel& frontier, QWidget* parent)
    : QMenu(parent), list_(new HeldRunsView(held)) {
  setToolTipsVisible(true);
  const auto add = [this, &frontier](const QString& text, const QString& tip, bool SegmentSplit::*part) {
    QAction* action = addAction(text);
    action->setToolTip(tip);
    action->setCheckable(true);
    action->setChecked(frontier.split().*part);
    connect(action, &QAction::toggled, this, [&frontier, part](bool on) {
      SegmentSplit now = frontier.split();
      now.*part = on;
      frontier.set_split(now);
    });
    connect(&frontier, &FrontierModel::splitChanged, action,
            [action, &frontier, part] { action->setChecked(frontier.split().*part); });
  };
  add(tr("Split by setting changes"), tr("One point per segment of unchanged settings, instead of one per run"),
      &SegmentSplit::at_changes);
  add(tr("Leave out the transient"),
      tr("Points without the requests that were served while contexts were still being moved"),
      &SegmentSplit::leave_out_transient);
  addSeparator();
  auto* shown = new QWidgetAction(this);
  list_->setMinimumSize(44 * fontMetrics().averageCharWidth(), 12 * fontMetrics().height());
  shown->setDefaultWidget(list_);
  addAction(shown);
}

}  // namespace kvantage
