// Trace-driven cache simulation: millions of requests through caches of given sizes, on a virtual clock, for hit rates,
// queueing and bytes. Nothing is stored and nothing waits; all metrics are simulated (`modelled`). Requests are
// streamed (core/trace), one at a time: memory grows with distinct items (blocks, contexts), never with requests.
//
// A request goes through three parts, each in its own file and replaceable:
//   a tiered cache (simulated_cache.h): which part of the input is cached, and what to evict for the rest;
//   a cost model (cost_model.h): seconds to load the cached part and compute the rest, fitted or published;
//   parallel servers (server_queue.h): requests wait for a free one, in order of arrival.
// In mode `blocks` a request reuses the longest cached run of prefix blocks; in mode `contexts` a context is cached
// entirely or not at all. Optimizing policies plan over whole snapshots (planned_simulation.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/eviction/simulated_cache.h"
#include "core/simulator/cost_model.h"
#include "core/simulator/served_times.h"
#include "core/trace/trace.h"

namespace kvantage::inline simulator {

enum class ReuseMode : std::uint8_t { blocks, contexts };

struct SimulatorSetup {
  ReuseMode mode = ReuseMode::blocks;
  std::string order = "lru";              // a name of cache_orders()
  std::vector<std::uint64_t> capacities;  // per tier, fastest first, in blocks or (weigh_bytes) in bytes
  bool weigh_bytes = false;               // contexts mode: entries count bytes, not blocks
  CostModel costs;                        // without times: counts only
  unsigned servers = 1;
  // Mean quality of loaded and of computed contexts; `quality_spread` as in PlannedSetup.
  double quality = 1, uncompressed_quality = 1, quality_spread = 0;
  std::uint64_t seed = 1;
};

struct SimulatorTier {
  std::uint64_t hit_requests = 0;  // with a load from it
  std::uint64_t hit_tokens = 0;
  double read_bytes = 0, written_bytes = 0;  // written: inserted or demoted
  std::uint64_t held = 0;                    // now, in capacity units
};

struct SimulatorTotals {
  std::uint64_t requests = 0, hit_requests = 0;  // hit: with any reuse
  std::uint64_t blocks = 0, hit_blocks = 0;      // of the cache: use_blocks(), PlannedSetup::block_tokens
  std::uint64_t tokens = 0, hit_tokens = 0;      // of inputs
  std::uint64_t distinct = 0;                    // blocks or contexts
  std::vector<SimulatorTier> tiers;
  SimulatedTimes ttft, service, queue;  // ttft = queue + service
  double span_seconds = 0;              // first arrival to last first token
  double busy_share = 0;                // of all servers over the span
  double offered_load = 0;              // from 1 on, queues grow with the trace; 0: no times, or no rate
  double mean_quality = 1;              // of policies that compress
  std::uint64_t actions = 0;            // placements changed, of policies that plan
};

/// Feeds requests to a cache and a clock.
class TraceSimulator {
 public:
  /// usage error for an invalid setup.
  static Expected<std::unique_ptr<TraceSimulator>> make(const SimulatorSetup& setup);

  /// Blocks of the cache of another size than the trace's: a whole multiple or a whole part of it; usage error
  /// otherwise. A larger block holds whole runs of the trace's; what two requests share within a block of the trace is
  /// not known, so smaller ones are shared by whole blocks of the trace as well.
  Status use_blocks(std::uint64_t trace_tokens, std::uint64_t cache_tokens);
  /// Whether all requests come twice, first to expect(): caches that need the future (trace_caches.h).
  bool needs_future() const { return needs_future_; }
  /// rejected_input where the trace has more touches than are kept.
  Status expect(const TraceRequest& request);

  /// Memory grows with the different blocks or contexts: rejected_input where those of `request` may be too many.
  Status check_room(const TraceRequest& request) const;

  void request(const TraceRequest& request) {
    cache_->begin_request(request.arrival_seconds, request.workload);
    serve(request.arrival_seconds, request.input_tokens, request.context, request.blocks, request.output_tokens);
  }
  /// The same, field by field. `arrival_seconds` ascend.
  void serve(double arrival_seconds, std::uint64_t input_tokens, std::uint64_t context,
             std::span<const std::uint64_t> blocks, std::uint64_t output_tokens = 0);
  SimulatorTotals totals() const;

 private:
  explicit TraceSimulator(const SimulatorSetup& setup);
  std::span<const std::uint64_t> cache_blocks(std::span<const std::uint64_t> blocks, std::uint64_t input_tokens);

  SimulatorSetup setup_;
  std::unique_ptr<SimulatedCache> cache_;
  ServedTimes times_;
  SimulatorTotals totals_;
  double quality_sum_ = 0;
  std::uint64_t trace_tokens_ = TraceFacts{}.block_tokens, cache_tokens_ = trace_tokens_;  // of a block
  std::vector<std::uint64_t> regrouped_;
  bool needs_future_ = false;
};

}  // namespace kvantage::inline simulator
