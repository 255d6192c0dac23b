#include "ui/live/frontier/policy_menu.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <set>

#include "core/policy/policy.h"
#include "ui/live/frontier/frontier_canvas.h"
#include "ui/text/words.h"

namespace kvantage {

std::vector<PolicyChoice> policy_choices(const FrontierModel& model) {
  std::set<QString> policies(model.hidden_policies());
  for (const FrontierCurve& curve : model.curves()) policies.insert(curve.policy);
  for (const SimulatedPoint& point : model.simulated())
    if (!point.what_if) policies.insert(point.policy);
  if (!model.present_policy().isEmpty()) policies.insert(model.present_policy());
  std::vector<PolicyChoice> choices;
  choices.reserve(policies.size());
  for (const QString& policy : policies) {
    const auto made = make_policy(from_q(policy));
    PolicyChoice choice;
    choice.policy = policy;
    choice.uses_alpha = made.has_value() && (*made)->uses_alpha();
    choice.tip = (choice.uses_alpha ? PolicyMenu::tr("%1: predicted for every α (steady state)")
                                    : PolicyMenu::tr("%1: independent of α: one simulated point"))
                     .arg(policy);
    choice.present = policy == model.present_policy();
    choice.shown = choice.present || !model.hidden_policies().contains(policy);
    choices.push_back(choice);
  }
  std::ranges::stable_sort(choices, {}, [](const PolicyChoice& choice) { return !choice.uses_alpha; });
  return choices;
}

PolicyMenu::PolicyMenu(FrontierModel& model, QWidget* parent) : QMenu(parent), model_(model) {
  setToolTipsVisible(true);
  connect(this, &QMenu::aboutToShow, this, &PolicyMenu::fill);
  fill();
}

void PolicyMenu::fill() {
  clear();
  bool curves = true;
  for (const PolicyChoice& choice : policy_choices(model_)) {
    if (curves && !choice.uses_alpha && !isEmpty()) addSeparator();
    curves = choice.uses_alpha;
    QAction* action = addAction(short_policy(choice.policy));
    action->setData(choice.policy);
    action->setToolTip(choice.present ? choice.tip + '\n' + tr("The current policy is always shown") : choice.tip);
    action->setCheckable(true);
    action->setChecked(choice.shown);
    action->setEnabled(!choice.present);
    connect(action, &QAction::toggled, this,
            [this, policy = choice.policy](bool shown) { model_.set_hidden(policy, !shown); });
  }
}

void PolicyMenu::mouseReleaseEvent(QMouseEvent* event) {
  QAction* action = actionAt(event->position().toPoint());
  if (action == nullptr || action != activeAction() || !action->isEnabled() || !action->isCheckable())
    return QMenu::mouseReleaseEvent(event);
  action->trigger();
}

void PolicyMenu::keyPressEvent(QKeyEvent* event) {
  QAction* action = activeAction();
  if (event->key() != Qt::Key_Space || action == nullptr || !action->isEnabled()) return QMenu::keyPressEvent(event);
  action->trigger();
}

}  // namespace kvantage
