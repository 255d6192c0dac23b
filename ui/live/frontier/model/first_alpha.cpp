#include "ui/live/frontier/model/first_alpha.h"

#include <algorithm>

#include "ui/live/frontier/model/curve_knee.h"
#include "ui/live/frontier/model/frontier_driver.h"

namespace kvantage {

FirstAlpha::FirstAlpha(RunModel& run, SettingsController& settings, QObject* parent)
    : QObject(parent), run_(run), settings_(settings) {
  connect(&run_.frontier, &FrontierModel::curvesChanged, this, &FirstAlpha::look);
}

void FirstAlpha::look() {
  if (over_ || run_.has_stash()) return;
  if (settings_.undo_stack().count() > 0) {
    over_ = true;
    return;
  }
  if (run_.profiled_contexts() == 0 || run_.profiled_contexts() < run_.info().contexts || settings_.previewing() ||
      settings_.fixed() || !run_.frontier.family().isEmpty())
    return;
  const auto& curves = run_.frontier.curves();
  const auto curve = std::ranges::find(curves, run_.frontier.present_policy(), &FrontierCurve::policy);
  if (curve == curves.end() || curve->samples.size() < FrontierDriver::alphas_in_curve)
    return;  // coarse, to begin with
  over_ = true;
  const auto knee = knee_alpha(*curve);
  SessionSettings wanted = settings_.committed();
  const double before = wanted.alpha;
  if (!knee || *knee == before) return;
  wanted.alpha = *knee;
  if (settings_.commit(wanted, tr("α at the knee of the curve"), QStringLiteral("first_alpha")))
    emit chosen(*knee, before);
}

}  // namespace kvantage
