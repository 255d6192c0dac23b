// The engine thread's time under one policy, from a run's record: what limits its sustainable rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ports/events.h"

namespace kvantage::inline experiments {

/// The engine's time after the warm-up of a run. The rest of `busy_seconds` is decoding of answers, lookups and
/// unpacking.
struct ServingCost {
  double wall_seconds = 0;  // from the end of the warm-up to the last answer, scoring of answers excluded
  double busy_seconds = 0;
  double context_prefill_seconds = 0, question_prefill_seconds = 0, placing_seconds = 0,
         profiling_seconds = 0;                                 // parts of it
  std::uint64_t answer_tokens = 0, requests = 0, prefills = 0;  // prefills: requests whose context was computed
};
/// Nothing where the events lack the end of the warm-up: a run without one, or from an older version.
std::optional<ServingCost> serving_cost(const std::vector<Event>& events, const std::vector<RequestRecord>& counted);

}  // namespace kvantage::inline experiments
