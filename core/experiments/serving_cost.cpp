#include "core/experiments/serving_cost.h"

#include <algorithm>
#include <variant>

namespace kvantage::inline experiments {

std::optional<ServingCost> serving_cost(const std::vector<Event>& events, const std::vector<RequestRecord>& counted) {
  const events::EngineCounted *before = nullptr, *after = nullptr;
  std::int64_t begun_ns = 0, ended_ns = 0;
  for (const Event& event : events) {
    if (std::holds_alternative<events::RequestFinished>(event.payload)) ended_ns = event.monotonic_ns;
    const auto* so_far = std::get_if<events::EngineCounted>(&event.payload);
    if (so_far == nullptr) continue;
    if (before == nullptr) begun_ns = event.monotonic_ns;
    (before == nullptr ? before : after) = so_far;
  }
  if (after == nullptr) return std::nullopt;
  ServingCost cost;
  cost.wall_seconds = static_cast<double>(ended_ns - begun_ns) * 1e-9;
  cost.busy_seconds = after->busy_seconds - before->busy_seconds;
  cost.placing_seconds = after->placing_seconds - before->placing_seconds;
  cost.profiling_seconds =
      after->profiling_seconds + after->reprofiling_seconds - before->profiling_seconds - before->reprofiling_seconds;
  for (const RequestRecord& record : counted) {
    cost.wall_seconds -= record.timing.measuring_seconds;
    cost.context_prefill_seconds += record.timing.context_prefill_seconds;
    cost.question_prefill_seconds += record.timing.question_prefill_seconds;
    if (const auto& shared = record.timing.shared_prefill) {  // each step once, for all that waited for it
      cost.context_prefill_seconds -= shared->context.seconds - shared->context.own_seconds;
      cost.question_prefill_seconds -= shared->question.seconds - shared->question.own_seconds;
    }
    cost.answer_tokens += static_cast<std::uint64_t>(std::max(record.answer_tokens, 0));
    cost.prefills += record.source == "prefill" ? 1 : 0;
    ++cost.requests;
  }
  return cost;
}

}  // namespace kvantage::inline experiments
