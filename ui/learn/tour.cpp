#include "ui/learn/tour.h"

#include <QComboBox>
#include <QTabWidget>
#include <algorithm>

#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/live/tiers/tiers_dock.h"

namespace kvantage {

Tour::Tour(QWidget& window, SettingsController& settings, FrontierPage& frontier, WindowViews& views)
    : Walkthrough(window, {tr("Tour"), tr("&Close tour"), tr("Close the tour; Help > Guided tour starts it again")}),
      settings_(settings),
      frontier_(frontier),
      views_(views) {
  set_steps(make_steps());
}

std::vector<WalkStep> Tour::make_steps() {
  SettingsController& settings = settings_;
  ControlsDock& controls = *views_.body<ControlsDock>(QStringLiteral("controls"));
  SensitivityDock& sensitivity = *views_.body<SensitivityDock>(QStringLiteral("sensitivity"));
  TiersDock& tiers_dock = *views_.body<TiersDock>(QStringLiteral("tiers"));
  using Done = std::function<void()>;
  // A setting that differs from what it was when the step began.
  const auto committed = [&settings](auto differs) {
    return [&settings, differs](QObject& context, const Done& done) {
      connect(&settings, &SettingsController::committedChanged, &context,
              [before = settings.committed(), differs, done](const SessionSettings& now) {
                if (differs(before, now)) done();
              });
    };
  };
  const auto page_changed = [](QTabWidget& pages) {
    return [&pages](QObject& context, const Done& done) {
      connect(&pages, &QTabWidget::currentChanged, &context, [done](int) { done(); });
    };
  };
  const auto curve = [this]() -> QWidget* { return &frontier_.chart(); };
  std::vector<WalkStep> steps{
      {tr("α: the value of quality"),
       tr("α says how many seconds of TTFT one unit of quality (0 to 1) is worth: at 3, a loss of 0.01 weighs as much "
          "as 30 ms. Drag the slider: the ring moves along the curve. Release it, and the engine follows."),
       [&controls] { return &controls.alpha(); }, curve,
       committed([](const SessionSettings& a, const SessionSettings& b) { return a.alpha != b.alpha; })},
      {tr("Budgets: limit the fast memory"),
       tr("A tier never exceeds its budget, so caches are compressed, demoted or evicted. Drag this one and watch the "
          "whole curve change."),
       [&settings, &controls]() -> QWidget* {
         const auto& tiers = settings.committed().tiers;
         TierControls* first = tiers.empty() ? nullptr : controls.tier(tiers.front().name);
         return first ? static_cast<QWidget*>(&first->budget()) : &controls;
       },
       curve, committed([](const SessionSettings& a, const SessionSettings& b) {
         return !std::ranges::equal(a.tiers, b.tiers, {}, &TierConfig::budget, &TierConfig::budget);
       })},
      {tr("Frontier: all trade-offs at a glance"),
       tr("A line is what a policy predicts for every α; the ring marks the current one. Diamonds are measured, with "
          "95 % intervals. Squares are policies without α, for comparison: solid in the steady state, dashed from "
          "empty caches. Select a family above the chart: each has its own curve."),
       [this] { return &frontier_; },
       {},
       [this](QObject& context, const Done& done) {
         connect(frontier_.findChild<QComboBox*>(QStringLiteral("frontierFamily")), &QComboBox::activated, &context,
                 [done](int) { done(); });
       }},
      {tr("Sensitivity: not every context tolerates compression"),
       tr("The same removed fraction is harmless to one context and costs another its answer. Switch pages for curves, "
          "families and a heat map of all contexts."),
       [&sensitivity] { return &sensitivity; }, curve, page_changed(sensitivity.tabs())},
      {tr("Tiers: what fills the memory"),
       tr("Occupancy of each tier over time versus its budget. Switch pages for measured load times, failures and "
          "misses."),
       [&tiers_dock] { return &tiers_dock; }, curve, page_changed(tiers_dock.pages())},
  };
  return steps;
}

void Tour::start() {
  views_.modes().leave();
  begin(make_steps());
}

}  // namespace kvantage
