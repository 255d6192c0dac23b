// `simulate --mrc`: the miss ratios of LRU caches of every size, as a figure.
#pragma once

#include <filesystem>

#include "core/report/figure.h"
#include "core/trace/trace.h"

namespace kvantage::cli {

struct CurveRequest {
  std::filesystem::path trace;
  TraceOptions options;
  std::string mode = "auto";     // blocks, contexts, auto: blocks where the trace names them
  std::uint64_t samples = 8192;  // keys at a time; 0: all
};

/// One pass. Memory is bounded by the samples, whatever the length of the trace. usage error for blocks of a trace
/// without them.
Expected<FigureResult> miss_ratio_figure(const CurveRequest& asked);

}  // namespace kvantage::cli
