// Traces as workloads that the real model can serve. A trace with texts becomes contexts with questions: the last
// paragraph of an input is asked, what stands before it is the context, and equal beginnings are one context. A trace
// without texts lends its arrivals to the texts of another workload. Either way arrivals are drawn from a process with the
// trace's rate, number and popularity, not repeated one by one.
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
  CountTokens count_tokens;            // must be set
  std::size_t context_tokens = 2560;   // longer contexts keep their beginning, which is what requests share
  std::size_t question_bytes = 600;    // a question is at most so long
  bool gold = false;                   // outputs of the trace as golds; else the answer with the uncompressed cache stands in
};

/// requests = questions + dropped, by reason.
struct TraceWorkloadReport {
  TraceCounts rows;
  std::uint64_t requests = 0, questions = 0, contexts = 0, cut_contexts = 0;
  std::map<std::string, std::uint64_t> dropped;
};

/// rejected_input for a trace without texts (open it with TraceOptions::with_text) or without a usable request.
Expected<Workload> workload_of_trace(TraceReader& trace, const TraceWorkloadOptions& options, TraceWorkloadReport& report);

/// Rate, number of requests and exponent of popularity (least squares over ranks of counts) of a trace read to its end;
/// the exponent is 0 where the trace does not tell what requests share.
Expected<ArrivalProcess> arrivals_of_trace(TraceReader& trace);

}  // namespace kvantage
