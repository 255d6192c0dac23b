#include "ui/tour.h"

#include <QComboBox>
#include <algorithm>

#include "ui/main_window.h"

namespace kvantage {

Tour::Tour(MainWindow& window)
    : Walkthrough(window, {QStringLiteral("tour"), QStringLiteral("&Close tour"),
                           QStringLiteral("Ends the tour; Help > Guided tour begins it again")}),
      window_(window) {
  set_steps(make_steps());
}

std::vector<WalkStep> Tour::make_steps() {
  SettingsController& settings = window_.settings();
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
  const auto curve = [this]() -> QWidget* { return &window_.frontier(); };
  std::vector<WalkStep> steps{
      {QStringLiteral("Alpha: what quality is worth"),
       QStringLiteral(
           "Alpha says how many seconds of waiting a perfect answer is worth. Move the slider and let go: the present "
           "point runs along the curve, and the engine follows."),
       [this] { return &window_.controls().alpha(); }, curve,
       committed([](const SessionSettings& a, const SessionSettings& b) { return a.alpha != b.alpha; })},
      {QStringLiteral("Budgets: room that is short"),
       QStringLiteral(
           "A tier holds no more bytes than its budget, so caches are compressed, moved down or dropped. Move this one "
           "and see the whole curve change."),
       [this]() -> QWidget* {
         const auto& tiers = window_.settings().committed().tiers;
         TierControls* first = tiers.empty() ? nullptr : window_.controls().tier(tiers.front().name);
         return first ? static_cast<QWidget*>(&first->budget()) : &window_.controls();
       },
       curve, committed([](const SessionSettings& a, const SessionSettings& b) {
         return !std::ranges::equal(a.tiers, b.tiers, {}, &TierConfig::budget, &TierConfig::budget);
       })},
      {QStringLiteral("Frontier: every trade-off at once"),
       QStringLiteral(
           "Lines are predicted for every alpha; points with bars are measured while requests end, and other policies "
           "stand beside them. Choose a family above the chart: texts of another kind have another curve."),
       [this] { return window_.findChild<FrontierPage*>(); },
       {},
       [this](QObject& context, const Done& done) {
         connect(window_.findChild<QComboBox*>(QStringLiteral("frontierFamily")), &QComboBox::activated, &context,
                 [done](int) { done(); });
       }},
      {QStringLiteral("Sensitivity: contexts suffer differently"),
       QStringLiteral("The same removed fraction costs one context nothing and another its answer. Turn to another "
                      "page to see it as "
                      "curves, per family or for all contexts at once."),
       [this] { return &window_.sensitivity(); },
       {},
       page_changed(window_.sensitivity().tabs())},
      {QStringLiteral("Tiers: where the bytes went"),
       QStringLiteral(
           "What fills each tier over time, against its budget. Turn to another page for how fast loads really are and "
           "what was refused or missed."),
       [this] { return &window_.tiers(); },
       {},
       page_changed(window_.tiers().pages())},
  };
  return steps;
}

void Tour::start() { begin(make_steps(), theme_of(window_.theme_kind())); }

}  // namespace kvantage
