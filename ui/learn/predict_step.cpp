#include "ui/learn/predict_step.h"

#include <QTimer>
#include <memory>
#include <utility>

#include "ui/learn/model/lesson_facts.h"

namespace kvantage {
namespace {

constexpr int look_ms = 300;  // between two looks at a metric

/// Compares once the metric is known, then calls `done`. Ends with `context`.
void compare_when_known(const PredictionParts& parts, const QString& metric, int number, QObject& context,
                        const std::function<void()>& done) {
  auto* look = new QTimer(&context);
  look->setInterval(look_ms);
  QObject::connect(look, &QTimer::timeout, look, [parts, metric, number, look, done] {
    const auto result = lesson_metric(metric, parts.run);
    if (!result) return;
    look->stop();
    parts.predictions.compare(number, *result);
    done();
  });
  look->start();
}

}  // namespace

PredictionPanel* make_prediction_panel(const LessonStep& step, int number, LessonPredictions& predictions,
                                       RunModel& run, FrontierChart* chart) {
  auto* panel = new PredictionPanel(predictions, step, number,
                                    [&run](double alpha) { return mean_on_curve(run.frontier, alpha); });
  if (chart && step.guess.kind == LessonGuess::Kind::curve_point)
    QObject::connect(chart, &FrontierChart::alphaPicked, panel, &PredictionPanel::pick);
  return panel;
}

WalkStep predict_step(WalkStep walk, const LessonStep& step, int number, bool waits, const PredictionParts& parts) {
  walk.stays = true;
  walk.extra = [step, number, parts]() -> QWidget* {
    return make_prediction_panel(step, number, parts.predictions, parts.run, &parts.frontier);
  };
  walk.held = [number, parts] { return parts.predictions.is_open(number); };
  walk.live_text = [step, number, parts] {
    const bool more = parts.predictions.is_committed(number) && !step.guess.then.isEmpty();
    return with_facts(more ? step.text + QStringLiteral("\n\n") + step.guess.then : step.text, parts.run);
  };
  // It stays done: going back to it shows what was found.
  const std::function<bool()> acted = std::exchange(walk.is_done, [number, parts] {
    const LessonPrediction* prediction = parts.predictions.at(number);
    return prediction && (prediction->state == LessonPrediction::State::compared ||
                          prediction->state == LessonPrediction::State::skipped);
  });
  walk.watch = [watch = std::move(walk.watch), acted, waits, metric = step.guess.value, number, parts](
                   QObject& context, const std::function<void()>& done) {
    auto begun = std::make_shared<bool>(false);
    const auto follow = [watch, acted, waits, metric, number, parts, begun, done, &context] {
      if (*begun || !parts.predictions.is_committed(number)) return;
      *begun = true;
      const auto compare = [parts, metric, number, &context, done] {
        compare_when_known(parts, metric, number, context, done);
      };
      if (waits && watch && !(acted && acted()))
        watch(context, compare);
      else
        compare();
    };
    QObject::connect(&parts.predictions, &LessonPredictions::changed, &context, follow);
    follow();
  };
  return walk;
}

}  // namespace kvantage
