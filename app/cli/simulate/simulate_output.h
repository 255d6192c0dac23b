// Output of `simulate`: a table for people, JSON for machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/imported/imported_profile.h"
#include "core/simulator/presets.h"
#include "core/simulator/simulator.h"

namespace kvantage::cli {

/// One policy over the whole trace.
struct SimulatedRow {
  std::string policy;
  SimulatorTotals totals = {};
  TraceCounts counts = {};
  bool planned = false;                 // by a planning policy; its written bytes are not counted
  bool has_quality = false;             // quality of answers, from the preset
  bool unstable = false;                // requests arrive faster than they are served
  std::uint64_t planned_every = 1;      // requests
  std::optional<double> lp_gap = {};    // of planning policies, at the end
  std::vector<std::string> notes = {};  // caveats about its values
  std::uint64_t longest_tokens = 0;     // of a request
};

struct SimulatedTable {
  std::string file, format, mode, preset, source;  // empty preset: counts only
  std::vector<ImportedSource> imported;            // in place of what the preset has
  bool timed = false, estimated_tokens = false, planned_quality = false;
  std::vector<std::string> tiers;         // names
  std::vector<std::uint64_t> capacities;  // in blocks or bytes
  bool in_bytes = false;
  unsigned servers = 1;
  std::vector<SimulatedRow> rows;
  std::vector<std::string> notes;  // caveats about all of them
};

void print(const SimulatedTable& table);
OrderedJson json_of(const SimulatedTable& table);
void print_presets(const std::vector<SimulatorPreset>& presets);
OrderedJson json_of(const std::vector<SimulatorPreset>& presets);

}  // namespace kvantage::cli
