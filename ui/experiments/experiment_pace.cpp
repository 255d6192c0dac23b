#include "ui/experiments/experiment_pace.h"

#include <algorithm>

#include "core/base/statistics.h"

namespace kvantage {
namespace {

double number_of(const Json& result, const char* name) {
  const auto found = result.is_object() ? result.find(name) : result.end();
  return found != result.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

std::vector<double> cell_seconds_of(const std::map<std::string, Json>& results) {
  std::vector<double> seconds;
  seconds.reserve(results.size());
  for (const auto& [id, result] : results)
    if (const double one = number_of(result, "cell_seconds"); one > 0) seconds.push_back(one);
  return seconds;
}

std::optional<RequestPace> pace_of_results(const std::vector<const std::map<std::string, Json>*>& results) {
  std::vector<double> seconds;
  for (const std::map<std::string, Json>* of_one : results)
    for (const auto& [id, result] : *of_one) {
      const double one = number_of(result, "cell_seconds"), requests = number_of(result, "requests");
      if (one > 0 && requests > 0) seconds.push_back(one / requests);
    }
  if (seconds.empty()) return {};
  const std::size_t n = seconds.size();
  return RequestPace{percentile(std::move(seconds), 0.5), n};
}

std::optional<RequestPace> pace_of_fits(const Snapshot& snapshot) {
  if (snapshot.contexts.empty()) return {};
  double seconds = 0;
  for (const ContextState& context : snapshot.contexts)
    seconds += snapshot.undisturbed_prefill().seconds(context.tokens) + snapshot.question.seconds(context.tokens);
  return RequestPace{seconds / static_cast<double>(snapshot.contexts.size()), 0};
}

double seconds_of_cells(const std::vector<SweepCell>& cells, const RequestPace& pace, std::uint64_t requests) {
  const auto count = static_cast<double>(requests);
  double seconds = 0;
  for (const SweepCell& cell : cells)
    seconds += std::max(count * pace.seconds, cell.requests_per_second > 0 ? count / cell.requests_per_second : 0.0);
  return seconds;
}

}  // namespace kvantage
