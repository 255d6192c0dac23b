// A fixed load that is timed between measurements: where it takes longer at one time than at another, something else
// used the machine, and times of different measurements cannot be compared.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/ports/run_calibration.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

class Calibration {
 public:
  /// Beyond this, a figure withholds what it says about time.
  static constexpr double bound = calibration_bound;
  /// Beyond this, a cell is measured again, at most `repeats` times: other users of a machine come and go.
  static constexpr double cell_bound = 0.1;
  static constexpr int repeats = 2;
  /// Longer together than a turn that the system gives to a thread: a single one may run between those of others.
  static constexpr int tries = 12;
  static constexpr int rounds = 25;  // some second

  /// `load`: some 3 ms of work on pinned threads of its own, as many as the model uses (run_fixed_load()). `clock` must
  /// outlive this.
  Calibration(const Clock& clock, std::function<void()> load) : clock_(clock), load_(std::move(load)) {}

  /// Runs the load `tries` times; their mean counts. While that is slow, again, up to `most` times, unless that was in
  /// vain the last time: what a cell has written may still be on its way to the device, and neither the next cell nor
  /// the calibration should meet it. most 0: not at all.
  void time(int most = rounds);
  /// The same in front of a cell. Where the last time ended just now, as that after the cell before, and was not
  /// slow, it counts for both: a second one would say the same of this moment.
  void time_before_cell(int most = rounds);
  std::size_t n() const { return seconds_.size(); }
  /// How far apart its times are: 90th / 10th percentile - 1; 0 for fewer than two.
  double moved() const;
  bool disturbed() const { return moved() > bound; }
  /// The last two: before and after a cell. Fewer where it was not timed so often.
  std::vector<double> around_cell() const;
  /// Whether one of the last two, before and after a cell, took longer than the fastest by more than `cell_bound`.
  bool cell_disturbed() const;
  /// Whether to measure that cell again: not where every second one would be, as on a machine that is never at rest.
  bool may_repeat() const;
  /// The last two do not count: what was measured between them is measured again.
  void forget_cell();
  /// The times before and after a cell that another process measured, as around_cell() returned them there: they count
  /// as if they were of this one.
  void take_over(const std::vector<double>& around);
  /// For the settings of a figure: "calibration, n", "calibration ms", "calibration moved %", and, where there were
  /// some, "cells measured again".
  void add_to(Json& settings) const;

 private:
  double mean_of_tries() const;
  bool slow(double seconds) const { return fastest_ > 0 && seconds > (1 + cell_bound) * fastest_; }

  const Clock& clock_;
  std::function<void()> load_;
  std::vector<double> seconds_;
  double fastest_ = 0;      // of all, also those that are forgotten
  double timed_until_ = 0;  // where the last time ended; 0: that one is forgotten, or of another process
  int forgotten_ = 0;
  bool in_vain_ = false;
};

/// Puts the calibration among the settings of a figure, and its findings about time in front of the others, or the
/// reason why they are withheld.
void settle_time_findings(FigureResult& result, const Calibration& machine);

}  // namespace kvantage::inline experiments
