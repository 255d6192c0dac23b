// A step of a lesson that asks for a prediction, as the walkthrough shows it: what is to be done follows once it is
// committed, then its result.
#pragma once

#include "ui/learn/prediction_panel.h"
#include "ui/learn/walkthrough.h"
#include "ui/live/frontier/frontier_chart.h"

namespace kvantage {

/// All of it outlives the step.
struct PredictionParts {
  LessonPredictions& predictions;
  RunModel& run;
  FrontierChart& frontier;  // a curve point is chosen on it
};

/// `walk`: what the step is without a prediction. `waits`: whether it has something to do or to wait for.
WalkStep predict_step(WalkStep walk, const LessonStep& step, int number, bool waits, const PredictionParts& parts);
/// The panel of a step; `chart` null: its points are typed.
PredictionPanel* make_prediction_panel(const LessonStep& step, int number, LessonPredictions& predictions,
                                       RunModel& run, FrontierChart* chart);

}  // namespace kvantage
