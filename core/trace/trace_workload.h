// Traces as workloads that the real model can serve. A trace with texts becomes contexts with questions: the last
// paragraph of an input is asked, what stands before it is the context, and equal beginnings are one context. A trace
// without texts lends its arrivals to the texts of another workload. Either way requests come at the times of the
// trace, and those of a trace with texts in its order; what a trace does not tell is drawn by popularity.
#pragma once

#include <map>
#include <string>

#include "core/trace/trace.h"
#include "core/workload/own_text.h"
#include "core/workload/workload.h"

namespace kvantage {

struct TraceWorkloadOptions {
  std::string name = "trace", licence = "see source";
  std::uint64_t seed = 1;
  CountTokens count_tokens;           // must be set
  std::size_t context_tokens = 2560;  // longer contexts keep their beginning, which is what requests share
  std::size_t question_bytes = 600;   // a question is at most so long
  bool gold = false;  // outputs of the trace as golds; else the answer with the uncompressed cache stands in
};

/// requests = scheduled + dropped, by reason.
struct TraceWorkloadReport {
  TraceCounts rows;
  std::uint64_t requests = 0, scheduled = 0, questions = 0, contexts = 0, cut_contexts = 0;
  std::map<std::string, std::uint64_t> dropped;
};

/// rejected_input for a trace without texts (open it with TraceOptions::with_text) or without a usable request.
Expected<Workload> workload_of_trace(TraceReader& trace, const TraceWorkloadOptions& options,
                                     TraceWorkloadReport& report);

/// Gives a workload the times of a trace read to its end, and its exponent of popularity (least squares over ranks of
/// counts) where the trace tells what requests share. Drift and the tail stay; bursts are the trace's own.
/// rejected_input for a trace without a request or with more than a run may have.
Status take_arrivals_of_trace(TraceReader& trace, Workload& workload);

}  // namespace kvantage
