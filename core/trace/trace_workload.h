// Traces as workloads that the real model can serve. A trace with texts becomes contexts with questions: the last
// paragraph of an input is the question, the text before it is the context, and equal prefixes are one context. A trace
// without texts supplies arrivals for the texts of another workload. In both cases requests arrive at the times of the
// trace, and those of a trace with texts in its order; anything missing is drawn by popularity.
#pragma once

#include <map>
#include <string>

#include "core/trace/trace.h"
#include "core/workload/own_text.h"
#include "core/workload/workload.h"

namespace kvantage::inline trace {

struct TraceWorkloadOptions {
  std::string name = "trace", license = "see source";
  std::uint64_t seed = 1;
  CountTokens count_tokens;           // required
  std::size_t context_tokens = 2560;  // longer contexts are truncated at the end, since requests share the beginning
  std::size_t question_bytes = 600;   // maximum length of a question
  bool gold = false;  // use the trace's outputs as gold answers; else the answer with the uncompressed cache is the
                      // reference
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

/// Gives a workload the arrival times of a fully read trace, and its popularity exponent (least squares over ranks of
/// counts) where the trace describes sharing. Drift and the tail stay; bursts come from the trace. rejected_input for a
/// trace without requests or with more than a run allows.
Status take_arrivals_of_trace(TraceReader& trace, Workload& workload);

}  // namespace kvantage::inline trace
