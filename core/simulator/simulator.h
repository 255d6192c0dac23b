// Traces of millions of requests through caches of a size, on a virtual clock: what hit rates, waiting and bytes would
// be. Nothing is stored and nothing waits; every figure is `modelled`. Requests come as a stream (core/trace), one at a
// time: memory grows with what is distinct in a trace (blocks, contexts), never with its requests.
//
// A request goes through three parts, each its own file and replaceable:
//   a cache of tiers (simulated_cache.h): what of the input is there, and what has to leave for the rest;
//   a model of costs (cost_model.h): seconds to load what is there and to compute what is not, fitted or published;
//   servers in a row (server_queue.h): requests wait for one that is free, in order of arrival.
// In mode `blocks` a request reuses the longest run of prefix blocks that are held; in mode `contexts` a context is
// held as a whole or not at all. Policies that optimize plan over whole snapshots (planned_simulation.h).
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

namespace kvantage {

enum class ReuseMode : std::uint8_t { blocks, contexts };

struct SimulatorSetup {
  ReuseMode mode = ReuseMode::blocks;
  std::string order = "lru";              // a name of cache_orders()
  std::vector<std::uint64_t> capacities;  // of the tiers, fastest first, in blocks or (weigh_bytes) in bytes
  bool weigh_bytes = false;               // contexts mode: entries weigh their bytes, not their blocks
  CostModel costs;                        // without times: counting alone
  unsigned servers = 1;
  // What answers are worth, for means: of loaded contexts and of computed ones; `quality_spread` as in PlannedSetup.
  double quality = 1, uncompressed_quality = 1, quality_spread = 0;
  std::uint64_t seed = 1;
};

struct SimulatorTier {
  std::uint64_t hit_requests = 0;  // that loaded something from it
  std::uint64_t hit_tokens = 0;
  double read_bytes = 0, written_bytes = 0;  // written: entered or came down
  std::uint64_t held = 0;                    // now, in the unit of capacities
};

struct SimulatorTotals {
  std::uint64_t requests = 0, hit_requests = 0;  // hit: something was reused
  std::uint64_t blocks = 0, hit_blocks = 0;      // of 512 tokens
  std::uint64_t tokens = 0, hit_tokens = 0;      // of inputs
  std::uint64_t distinct = 0;                    // blocks or contexts
  std::vector<SimulatorTier> tiers;
  SimulatedTimes ttft, service, queue;  // ttft = queue + service
  double span_seconds = 0;              // first arrival to last first token
  double busy_share = 0;                // of all servers over the span
  double mean_quality = 1;              // of policies that compress
  std::uint64_t actions = 0;            // placements changed, of policies that plan
};

/// Feeds requests to a cache and a clock.
class TraceSimulator {
 public:
  /// usage error for a setup that makes no sense.
  static Expected<std::unique_ptr<TraceSimulator>> make(const SimulatorSetup& setup);

  void request(const TraceRequest& request) {
    serve(request.arrival_seconds, request.input_tokens, request.context, request.blocks, request.output_tokens);
  }
  /// The same by its parts. `arrival_seconds` ascend.
  void serve(double arrival_seconds, std::uint64_t input_tokens, std::uint64_t context,
             std::span<const std::uint64_t> blocks, std::uint64_t output_tokens = 0);
  SimulatorTotals totals() const;

 private:
  explicit TraceSimulator(const SimulatorSetup& setup);

  SimulatorSetup setup_;
  std::unique_ptr<SimulatedCache> cache_;
  ServedTimes times_;
  SimulatorTotals totals_;
  double quality_sum_ = 0;
};

}  // namespace kvantage
