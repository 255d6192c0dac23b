// The Frontier by keyboard: what can be stood on, in rows: the present setting, measured points, one curve a row, modelled points.
#pragma once

#include "ui/charts/frontier_canvas.h"

namespace kvantage {

struct FrontierStop {
  enum class Kind { present, measured, curve, modelled };
  Kind kind = Kind::present;
  QString policy;  // of a measured point: none, all of them are one row
  FrontierMean mean;
  QString tip;      // as the mouse is told there
  double alpha = 0;  // curve
  int epoch = 0;     // measured
  QString run = {};  // present and measured; empty: none is recorded
  bool shadow = false;
};
using FrontierRow = std::vector<FrontierStop>;

/// No row is empty; what is hidden or has no place on the chart is not among them. Rows of curves: the present policy's first.
std::vector<FrontierRow> frontier_rows(const FrontierCanvas& canvas);

/// Where the keyboard stands. It stays on its point while figures move, and where that is gone, on the nearest of its row.
class FrontierCursor {
 public:
  /// What stands there now; nothing before the first move, and where nothing of the kind is shown any more.
  std::optional<FrontierStop> stop(const std::vector<FrontierRow>& rows) const;
  /// Left and right along a row, up and down between rows, Home and End, Page keys ten at a time. false: not one of these keys.
  bool move(int key, const std::vector<FrontierRow>& rows);
  void leave() { at_.reset(); }

 private:
  struct Place {
    std::size_t row = 0, stop = 0;
  };
  std::optional<Place> place(const std::vector<FrontierRow>& rows) const;
  std::optional<FrontierStop> at_;
};

}  // namespace kvantage
