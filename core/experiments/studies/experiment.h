// A figure of a paper as one object: its texts and options, what values it takes, and how it is made.
#pragma once

#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/studies/figure_arguments.h"
#include "core/report/figure.h"

namespace kvantage::inline studies {

class Experiment {
 public:
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;
  virtual ~Experiment() = default;

  const PaperFigure& figure() const { return figure_; }
  /// Whether it is made over a workload, in sessions that the host opens.
  virtual bool serves_sessions() const { return false; }
  /// Whether its sessions leave out idle time (EngineConfig): requests arrive at a rate, and nothing happens while none
  /// runs.
  virtual bool leaves_out_idle() const { return false; }
  /// Whether another figure makes its result, too: it is left out where all figures are made.
  virtual bool is_view() const { return false; }
  /// usage error for option values, before anything is loaded.
  virtual Status check(const FigureArguments& arguments) const = 0;
  /// Its result, or those of several figures that are made of the same runs. Errors: of opening a session or a model,
  /// of options, or `cancelled`.
  virtual Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const = 0;

 protected:
  explicit Experiment(PaperFigure figure) : figure_(std::move(figure)) {}

 private:
  const PaperFigure figure_;
};

}  // namespace kvantage::inline studies
