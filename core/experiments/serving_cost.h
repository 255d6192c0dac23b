// What the engine's thread did under one policy, from a run's own record: what limits the rate that it bears.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ports/events.h"

namespace kvantage {

/// Where the engine's time went after the warm-up of a run. The parts of `busy_seconds` that are not named are decoding
/// of answers, lookups and unpacking.
struct ServingCost {
  double wall_seconds = 0;  // from the end of the warm-up to the last answer, without the scoring of answers
  double busy_seconds = 0;
  double context_prefill_seconds = 0, question_prefill_seconds = 0, placing_seconds = 0,
         profiling_seconds = 0;                                 // parts of it
  std::uint64_t answer_tokens = 0, requests = 0, prefills = 0;  // prefills: requests whose context was computed
};
/// Nothing where the events do not tell when the warm-up ended: a run without one, or of an older program.
std::optional<ServingCost> serving_cost(const std::vector<Event>& events, const std::vector<RequestRecord>& counted);

}  // namespace kvantage
