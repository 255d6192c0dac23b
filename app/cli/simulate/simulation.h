// What the options of `simulate` mean for a trace: caches, costs, policies, and the head of the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/simulate/simulate_options.h"
#include "app/cli/simulate/simulate_output.h"
#include "core/simulator/planned_simulation.h"
#include "core/simulator/simulator.h"

namespace kvantage::cli {

struct Simulation {
  SimulatorSetup compact;
  PlannedSetup planned;
  SimulatedTable table;
  std::vector<std::string> policies;
  std::uint64_t trace_block = TraceFacts{}.block_tokens, cache_block = TraceFacts{}.block_tokens;  // tokens
};

/// Whether a policy is an order or a cache over arrays; others plan or store in a form.
bool is_order(const std::string& policy);

/// All that does not need the facts of the trace. usage errors name the option.
Expected<Simulation> prepare_simulation(const SimulateArguments& arguments);

/// Blocks or contexts, and capacities in the cache's blocks. usage error where a policy or the trace cannot.
Status choose_mode(const SimulateArguments& arguments, const TraceFacts& facts, Simulation& made);

}  // namespace kvantage::cli
