// Makes a workload from the synthetic families: held-out keys only, so that no context or question was trained on.
#pragma once

#include <string>
#include <vector>

#include "core/workload/families/families.h"
#include "core/workload/workload.h"

namespace kvantage {

struct MakeWorkloadOptions {
  std::string name = "synthetic";
  std::string description;  // what it shows, in a line
  std::string licence = "CC0-1.0";
  std::uint64_t seed = 1;
  // Names; empty = all, unless there are mixes.
  std::vector<std::string> families;
  // "story+registry": contexts whose text is one family's and then another's, half and half. Questions are about the
  // first (phase 0) and, where the arrivals drift, later about the second (phase 1); without a drift about both.
  std::vector<std::string> mixes;
  std::size_t contexts_per_family = 4;  // and per mix
  std::size_t least_tokens = 1000;      // of a context, as the default tokenizer counts
  std::size_t most_tokens = 2000;
  double filler_fraction = 0.3;        // of sentences; families with their own idea of it may take more
  double neighbour_fraction = 0.2;     // of keys that share a word with an earlier one, [0, 1]
  double distractor_fraction = 0.2;    // of news: statements about people nobody asks for, [0, 0.95]
  std::size_t answer_tokens = 512;     // of the ledger's answers, at least (or three quarters of its entries)
  std::size_t profile_questions = 8;   // per context
  std::size_t held_out_questions = 8;  // per context and phase
  ArrivalProcess arrivals;
};

/// The same options give the same workload on every machine. usage when a setting cannot be met.
Expected<Workload> make_workload(const MakeWorkloadOptions& options);

}  // namespace kvantage
