// The Frontier by keyboard: its stops, in rows: the present setting, measured points, one held run per row, one curve
// per row, simulated points.
#pragma once

#include "ui/live/frontier/frontier_canvas.h"
#include "ui/widgets/point_keys.h"

namespace kvantage {

struct FrontierStop : PointStop {
  enum class Kind { present, measured, held, curve, simulated };
  Kind kind = Kind::present;
  QString policy;  // of a measured point: none, all of them are one row; of a held one: the run's name
  FrontierMean mean;
  double alpha = 0;  // curve
  int epoch = 0;     // measured and held
  QString run;       // present, measured and held; empty: none is recorded
};
using FrontierRow = std::vector<FrontierStop>;
using FrontierCursor = PointCursor<FrontierStop>;

/// What is hidden or has no place on the chart is not among them. Rows of curves: the present policy's first.
std::vector<FrontierRow> frontier_rows(const FrontierCanvas& canvas);

}  // namespace kvantage
