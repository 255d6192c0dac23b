// Makes a workload from the synthetic families: held-out keys only, so that no context or question was trained on.
#pragma once

#include <string>
#include <vector>

#include "core/workload/families/families.h"
#include "core/workload/workload.h"

namespace kvantage {

struct MakeWorkloadOptions {
  std::string name = "synthetic";
  std::string licence = "CC0-1.0";
  std::uint64_t seed = 1;
  std::vector<std::string> families;  // names; empty = all
  std::size_t contexts_per_family = 4;
  std::size_t least_tokens = 1000;  // of a context, as the default tokenizer counts
  std::size_t most_tokens = 2000;
  double filler_fraction = 0.3;        // of sentences; families with their own idea of it may take more
  std::size_t profile_questions = 8;   // per context
  std::size_t held_out_questions = 8;  // per context
  ArrivalProcess arrivals;
};

/// The same options give the same workload on every machine. usage when a setting cannot be met.
Expected<Workload> make_workload(const MakeWorkloadOptions& options);

}  // namespace kvantage
