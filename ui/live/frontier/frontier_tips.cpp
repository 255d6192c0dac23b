#include "ui/live/frontier/frontier_tips.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/live/frontier/frontier_levels.h"
#include "ui/live/frontier/held_points.h"
#include "ui/live/frontier/target_lines.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct FrontierTipsText {
  Q_DECLARE_TR_FUNCTIONS(FrontierTipsText)
};

constexpr double reach = 11;  // pixels

bool near(const FrontierCanvas& canvas, const FrontierMean& mean, const QPointF& at, double within = reach) {
  const auto where = canvas.position(mean);
  return where && std::hypot(where->x() - at.x(), where->y() - at.y()) <= within;
}

QString spread(const MeasuredMean& mean, QString (*text)(double)) {
  return mean.has_interval
             ? FrontierTipsText::tr("%1 (95 %: %2 to %3)").arg(text(mean.mean), text(mean.low), text(mean.high))
             : text(mean.mean);
}

QString alpha_line(double alpha) {
  return '\n' + FrontierTipsText::tr("α = %1 s per unit of quality").arg(number_text(alpha));
}

QString predicted_line(const FrontierMean& mean) {
  return '\n' + FrontierTipsText::tr("predicted quality %1, TTFT %2")
                    .arg(quality_text(mean.quality), seconds_text(mean.ttft_seconds));
}

/// What a mean and its interval are over.
QString counts_of(const MeasuredMean& mean) {
  const QString requests = FrontierTipsText::tr("%n request(s)", nullptr, static_cast<int>(mean.n));
  if (mean.groups == 0) return requests;
  return FrontierTipsText::tr("%1, %2").arg(
      FrontierTipsText::tr("%n context(s)", nullptr, static_cast<int>(mean.groups)), requests);
}

QString transient_line(const MeasuredPoint& point) {
  if (point.transient_requests == 0) return {};
  const int n = static_cast<int>(point.transient_requests);
  return '\n' + (point.with_transient ? FrontierTipsText::tr("%n request(s) in a transient included", nullptr, n)
                                      : FrontierTipsText::tr("%n request(s) in a transient left out", nullptr, n));
}

}  // namespace

QString measured_tip(const MeasuredPoint& point) {
  QString tip = (point.simulated   ? FrontierTipsText::tr("%1, simulated over %2")
                 : point.throttled ? FrontierTipsText::tr("%1, measured on throttled tiers over %2")
                                   : FrontierTipsText::tr("%1, measured over %2"))
                    .arg(point.policy, counts_of(point.quality));
  const QString quality = spread(point.quality, quality_text), ttft = spread(point.ttft, seconds_text);
  if (point.predicted)
    tip += '\n' +
           FrontierTipsText::tr(
               "quality %1; predicted for the same requests %2\nTTFT %3; predicted for the same requests %4")
               .arg(quality, quality_text(point.predicted->quality), ttft, seconds_text(point.predicted->ttft_seconds));
  else
    tip += '\n' + FrontierTipsText::tr("quality %1\nTTFT %2").arg(quality, ttft);
  tip += transient_line(point);
  if (point.uses_alpha) tip += alpha_line(point.alpha);
  tip += '\n' + point.settings;
  return point.run.isEmpty() ? tip : tip + '\n' + FrontierTipsText::tr("Press Enter to open run %1").arg(point.run);
}

QString present_tip(const FrontierCanvas& canvas, const FrontierMean& present) {
  const FrontierModel& model = canvas.model;
  QString tip = FrontierTipsText::tr("current setting: %1").arg(model.present_policy()) +
                alpha_line(model.present_alpha()) + predicted_line(present);
  for (const MeasuredPoint& point : canvas.measured)
    if (point.current && point.policy == model.present_policy() && point.alpha == model.present_alpha())
      tip += '\n' + FrontierTipsText::tr("measured quality %1, TTFT %2, n = %3")
                        .arg(quality_text(point.quality.mean), seconds_text(point.ttft.mean))
                        .arg(point.quality.n);
  if (const auto gap = model.present_gap())
    tip += '\n' + (*gap <= 0 ? FrontierTipsText::tr("proven optimal")
                             : FrontierTipsText::tr("optimality gap ≤ %1").arg(percent_text(*gap)));
  if (!model.present_settings().isEmpty()) tip += "\n" + model.present_settings();
  return tip;
}

QString simulated_tip(const FrontierModel& model, const SimulatedPoint& point) {
  const int n = static_cast<int>(point.requests);
  const QString head = point.what_if
                           ? FrontierTipsText::tr("%1, what-if: simulated on %n request(s) of this run", nullptr, n)
                           : FrontierTipsText::tr("%1, simulated in the steady state over %n request(s)", nullptr, n);
  return (head.arg(point.policy) + '\n' +
          FrontierTipsText::tr("quality %1\nTTFT %2")
              .arg(quality_text(point.mean.quality), seconds_text(point.mean.ttft_seconds)) +
          '\n' + model.present_settings())
      .trimmed();
}

QString sample_tip(const FrontierModel& model, const QString& policy, const FrontierSample& sample) {
  return policy + alpha_line(sample.alpha) + predicted_line(sample.mean) +
         (model.present_settings().isEmpty() ? QString() : "\n" + model.present_settings());
}

std::optional<ChosenMark> chosen_mark(const FrontierCanvas& canvas) {
  const auto mean = canvas.model.chosen_mean();
  const auto at = mean ? canvas.position(*mean) : std::nullopt;
  if (!at) return {};
  const QRectF inner = canvas.plot.adjusted(9, 9, -9, -9);
  if (inner.isEmpty() || canvas.plot.contains(*at)) return ChosenMark{*at, false};
  return ChosenMark{
      {std::clamp(at->x(), inner.left(), inner.right()), std::clamp(at->y(), inner.top(), inner.bottom())}, true};
}

const MeasuredPoint* measured_at(const FrontierCanvas& canvas, const QPointF& at) {
  for (auto point = canvas.measured.rbegin(); point != canvas.measured.rend(); ++point)
    if (near(canvas, {point->quality.mean, point->ttft.mean}, at)) return &*point;
  return nullptr;
}

std::optional<double> alpha_at(const FrontierCanvas& canvas, const QPointF& at) {
  std::optional<double> alpha;
  double nearest = reach;
  for (const FrontierCurve& curve : canvas.model.curves()) {
    if (curve.policy != canvas.model.present_policy()) continue;
    for (const FrontierSample& sample : curve.samples) {
      const auto where = canvas.position(sample.mean);
      if (!where || std::hypot(where->x() - at.x(), where->y() - at.y()) > nearest) continue;
      nearest = std::hypot(where->x() - at.x(), where->y() - at.y());
      alpha = sample.alpha;
    }
  }
  return alpha;
}

QString frontier_tip(const FrontierCanvas& canvas, const QPointF& at) {
  const FrontierModel& model = canvas.model;
  if (const MeasuredPoint* point = measured_at(canvas, at)) return measured_tip(*point);
  if (const auto held = held_at(canvas, at)) return held_tip(*held->run, *held->point);
  if (const auto present = model.present(); present && near(canvas, *present, at, reach + 2))
    return present_tip(canvas, *present);
  if (const auto second = model.second(); second && near(canvas, *second, at))
    return FrontierTipsText::tr("compared with: %1").arg(model.present_policy()) + alpha_line(*model.second_alpha()) +
           predicted_line(*second);
  if (const auto mark = chosen_mark(canvas); mark && std::hypot(mark->at.x() - at.x(), mark->at.y() - at.y()) <= reach)
    return (mark->outside ? FrontierTipsText::tr("context %1 as placed now: outside the visible range")
                          : FrontierTipsText::tr("context %1 as placed now"))
               .arg(model.chosen_context()) +
           predicted_line(*model.chosen_mean());
  for (const SimulatedPoint& point : model.simulated())
    if (!canvas.hidden(point.policy) && near(canvas, point.mean, at)) return simulated_tip(model, point);
  for (const FrontierCurve& curve : model.curves()) {
    if (canvas.hidden(curve.policy)) continue;
    for (const FrontierSample& sample : curve.samples)
      if (near(canvas, sample.mean, at, 6)) return sample_tip(model, curve.policy, sample);
  }
  const QString target = target_tip(canvas, at);
  return target.isEmpty() ? level_tip(canvas, at) : target;
}

}  // namespace kvantage
