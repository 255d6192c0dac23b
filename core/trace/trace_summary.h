// A trace in figures: how much came, how fast, how long, how much of it again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/prefix_lru.h"
#include "core/trace/trace.h"

namespace kvantage {

/// Tokens of requests; percentiles as in statistics.h, exact.
struct TokenSummary {
  std::uint64_t total = 0, least = 0, most = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;
};

struct CapacityHits {
  std::uint64_t capacity_blocks = 0;  // LruCache::unlimited: no limit
  HitCounts prefix_blocks;            // nothing where the trace names no blocks
  HitCounts contexts;                 // nothing where it names no contexts
};

struct TraceSummary {
  TraceFacts facts;
  TraceCounts counts;
  double span_seconds = 0;         // from the first request to the last, scaled
  double requests_per_second = 0;  // (requests - 1) / span; 0 without a span
  TokenSummary input, output;
  std::uint64_t blocks = 0, distinct_blocks = 0;  // as requests name them
  std::uint64_t distinct_contexts = 0;
  double block_reuse_share = 0;    // of blocks, those that came before in the trace
  double context_reuse_share = 0;  // of requests, those whose context came before
  std::vector<CapacityHits> lru;   // one for each capacity asked for
};

/// Reads the trace to its end. Memory grows with what is distinct in it (blocks, contexts, lengths), not with its rows.
Expected<TraceSummary> summarise_trace(TraceReader& trace, std::span<const std::uint64_t> capacities);

}  // namespace kvantage
