#include "ui/live/frontier/frontier_keys.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/live/frontier/frontier_tips.h"
#include "ui/live/frontier/held_points.h"

namespace kvantage {
namespace {

using KeyKind = FrontierStop::Kind;

struct FrontierKeysText {
  Q_DECLARE_TR_FUNCTIONS(FrontierKeysText)
};

/// `policy`: of a held run its name.
QString row_name(KeyKind kind, const QString& policy) {
  switch (kind) {
    case KeyKind::present:
      return FrontierKeysText::tr("current setting");
    case KeyKind::measured:
      return FrontierKeysText::tr("measured");
    case KeyKind::held:
      return FrontierKeysText::tr("run %1").arg(policy);
    case KeyKind::curve:
      return FrontierKeysText::tr("curve of %1").arg(policy);
    case KeyKind::simulated:
      return FrontierKeysText::tr("simulated");
  }
  return {};
}

FrontierStop stop_of(KeyKind kind, const FrontierMean& mean, const QPointF& at, const QString& tip,
                     const QString& policy = {}) {
  FrontierStop stop;
  stop.row = row_name(kind, policy);
  stop.mark = mark_around(at);
  stop.tip = tip;
  stop.kind = kind;
  stop.policy = policy;
  stop.mean = mean;
  return stop;
}

}  // namespace

std::vector<FrontierRow> frontier_rows(const FrontierCanvas& canvas) {
  const FrontierModel& model = canvas.model;
  std::vector<FrontierRow> rows;
  const auto take = [&rows](FrontierRow row) {
    if (!row.empty()) rows.push_back(std::move(row));
  };
  if (const auto present = model.present())
    if (const auto at = canvas.position(*present)) {
      FrontierStop stop =
          stop_of(KeyKind::present, *present, *at, present_tip(canvas, *present), model.present_policy());
      for (const MeasuredPoint& point : canvas.measured)
        if (point.current) stop.run = point.run;
      take({stop});
    }
  FrontierRow measured, simulated;
  for (const MeasuredPoint& point : canvas.measured) {
    const FrontierMean mean{point.quality.mean, point.ttft.mean};
    const auto at = canvas.position(mean);
    if (!at) continue;
    FrontierStop& stop = measured.emplace_back(stop_of(KeyKind::measured, mean, *at, measured_tip(point)));
    stop.along = stop.epoch = point.epoch;
    stop.run = point.run;
  }
  take(std::move(measured));
  FrontierRow held;
  const HeldRun* run = nullptr;
  for (const HeldPlace& place : held_places(canvas)) {
    if (place.run != run) take(std::exchange(held, {}));
    run = place.run;
    const FrontierMean mean{place.point->quality.mean, place.point->ttft.mean};
    FrontierStop& stop =
        held.emplace_back(stop_of(KeyKind::held, mean, place.at, held_tip(*run, *place.point), run->name));
    stop.row += QLatin1Char(' ') + run->id;  // two runs may have one name
    stop.along = stop.epoch = place.point->epoch;
    stop.run = run->id;
  }
  take(std::move(held));
  const auto curve_row = [&](const FrontierCurve& curve) {
    FrontierRow row;
    for (const FrontierSample& sample : curve.samples)
      if (const auto at = canvas.position(sample.mean)) {
        FrontierStop& stop = row.emplace_back(
            stop_of(KeyKind::curve, sample.mean, *at, sample_tip(model, curve.policy, sample), curve.policy));
        stop.alpha = sample.alpha;
        stop.along = std::log(std::max(sample.alpha, 1e-12));
      }
    take(std::move(row));
  };
  for (const bool present : {true, false})
    for (const FrontierCurve& curve : model.curves())
      if (!canvas.hidden(curve.policy) && (curve.policy == model.present_policy()) == present) curve_row(curve);
  for (const SimulatedPoint& point : model.simulated())
    if (const auto at = canvas.hidden(point.policy) ? std::nullopt : canvas.position(point.mean)) {
      FrontierStop& stop = simulated.emplace_back(
          stop_of(KeyKind::simulated, point.mean, *at, simulated_tip(model, point), point.policy));
      stop.id = point.policy + (point.what_if ? QStringLiteral(" shadow") : QString());
    }
  std::ranges::stable_sort(simulated, {}, [](const FrontierStop& stop) { return stop.mean.ttft_seconds; });
  take(std::move(simulated));
  return rows;
}

}  // namespace kvantage
