// What an interrupted command measured of cells of throughput: taken over instead of being measured again.
#pragma once

#include <optional>

#include "core/base/json.h"
#include "core/experiments/studies/figure_arguments.h"
#include "core/experiments/studies/throughput_cells.h"

namespace kvantage::inline studies {

/// Of one call of ThroughputBench::measure(), in FigureHost::cells(); without these nothing is kept.
class KeptThroughput {
 public:
  /// `arguments` must outlive this. Requests and pool tell the calls of a figure apart.
  KeptThroughput(const FigureArguments& arguments, int requests, int pool_tokens)
      : arguments_(arguments), requests_(requests), pool_tokens_(pool_tokens) {}

  /// The cell's run in this block, whose times around it the calibration takes over. Nothing: not kept, or damaged.
  std::optional<ThroughputRun> take(const ThroughputCell& cell, int block) const;
  /// With the times of the calibration around it.
  Status keep(const ThroughputCell& cell, int block, const ThroughputRun& run) const;

 private:
  Json key_of(const ThroughputCell& cell, int block) const;

  const FigureArguments& arguments_;
  const int requests_, pool_tokens_;
};

}  // namespace kvantage::inline studies
