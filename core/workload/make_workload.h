// Generates a workload from the synthetic families, with held-out keys only: no context or question was trained on.
#pragma once

#include <string>
#include <vector>

#include "core/workload/families/families.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

struct MakeWorkloadOptions {
  std::string name = "synthetic";
  std::string description;  // what it demonstrates, in one line
  std::string license = "CC0-1.0";
  std::uint64_t seed = 1;
  // Names; empty = all, unless there are mixes.
  std::vector<std::string> families;
  // "story+registry": contexts whose text is half of one family, then half of another. Questions are about the first
  // (phase 0) and, with drift, later about the second (phase 1); without drift about both.
  std::vector<std::string> mixes;
  std::size_t contexts_per_family = 4;  // and per mix
  std::size_t min_tokens = 1000;        // of a context, as the default tokenizer counts
  std::size_t max_tokens = 2000;
  double filler_fraction = 0.3;        // of sentences; some families use more
  double neighbor_fraction = 0.2;      // of keys that share a word with an earlier one, [0, 1]
  double distractor_fraction = 0.2;    // of news: statements about people that no question asks about, [0, 0.95]
  std::size_t answer_tokens = 512;     // minimum length of the ledger's answers (or three quarters of its entries)
  std::size_t profile_questions = 8;   // per context
  std::size_t held_out_questions = 8;  // per context and phase
  // Of phase 1, per context: of a mix so many about its second part (0: as many as of phase 0); of a family alone at
  // most so many beside the others, which are those without a drift: the ones about what its text mentions first.
  std::size_t drifted_questions = 0;
  // Name of recorded arrival times (recorded_arrivals.h), of which the first arrivals.requests become the schedule;
  // empty or "drawn": none.
  std::string recorded_arrivals = {};
  ArrivalProcess arrivals;
};

/// The same options give the same workload on every machine. usage when a setting cannot be satisfied.
Expected<Workload> make_workload(const MakeWorkloadOptions& options);

}  // namespace kvantage::inline workload
