// Summary of a trace: volume, rate, lengths, reuse.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/prefix_lru.h"
#include "core/trace/trace.h"

namespace kvantage::inline trace {

/// Tokens of requests; percentiles as in statistics.h, exact.
struct TokenSummary {
  std::uint64_t total = 0, min = 0, max = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;
};

struct CapacityHits {
  std::uint64_t capacity_blocks = 0;  // LruCache::unlimited: no limit
  HitCounts prefix_blocks;            // empty where the trace has no blocks
  HitCounts contexts;                 // empty where it has no contexts
};

struct TraceSummary {
  TraceFacts facts;
  TraceCounts counts;
  double span_seconds = 0;         // from the first request to the last, scaled
  double requests_per_second = 0;  // (requests - 1) / span; 0 without a span
  TokenSummary input, output;
  std::uint64_t blocks = 0, distinct_blocks = 0;  // as listed by requests
  std::uint64_t distinct_contexts = 0;
  double block_reuse_share = 0;    // share of blocks that occurred earlier in the trace
  double context_reuse_share = 0;  // share of requests whose context occurred earlier
  std::vector<CapacityHits> lru;   // one per requested capacity
};

/// Reads the trace to its end. Memory grows with distinct items (blocks, contexts, lengths), not with rows;
/// rejected_input where there are more of them than fit.
Expected<TraceSummary> summarize_trace(TraceReader& trace, std::span<const std::uint64_t> capacities);

}  // namespace kvantage::inline trace
