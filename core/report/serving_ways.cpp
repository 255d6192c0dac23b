#include "core/report/serving_ways.h"

#include "core/report/request_facts.h"
#include "core/report/samples.h"

namespace kvantage::inline report {
namespace {

/// Tokens whose keys and values were computed for this request: prefilled, or from layer inputs.
int computed_tokens(const RequestRecord& record) {
  if (record.compute_or_load.used()) return record.compute_or_load.computed_tokens;
  if (record.compute_or_load.tokens_from_inputs > 0) return record.compute_or_load.tokens_from_inputs;
  return record.context_tokens - tokens_from_tier(record);
}

}  // namespace

std::string_view serving_way(const RequestRecord& record) {
  if (record.compute_or_load.used()) return record.compute_or_load.loaded_tokens > 0 ? "hybrid_prefill" : "recompute";
  if (!is_hit(record)) return "prefill";
  return record.compute_or_load.tokens_from_inputs > 0 ? "load_recompute" : "load";
}

std::string serving_way_text(std::string_view way) {
  if (way == "load_recompute") return "load, recompute from layer inputs (our extension)";
  return way == "hybrid_prefill" ? "hybrid prefill" : std::string(way);
}

double predicted_service_seconds(const RequestRecord& record) {
  return record.compute_or_load.used() ? record.compute_or_load.predicted_seconds : record.predicted_ttft_seconds;
}

std::map<std::string, ServingWay> serving_ways(const std::vector<const RequestRecord*>& answered) {
  struct Measured {
    Samples ttft, predicted, computed;
  };
  std::map<std::string, Measured> by_way;
  for (const RequestRecord* record : answered) {
    Measured& way = by_way[std::string(serving_way(*record))];
    way.ttft.add(record->timing.ttft_service_seconds, *record, record->provenance);
    if (const double seconds = predicted_service_seconds(*record); seconds >= 0)
      way.predicted.add(seconds, *record, Provenance::predicted);
    way.computed.add(computed_tokens(*record), *record, unthrottled(record->provenance));
  }
  std::map<std::string, ServingWay> ways;
  for (const auto& [way, measured] : by_way)
    ways[way] = {measured.ttft.distribution(), measured.predicted.distribution(), measured.computed.distribution()};
  return ways;
}

}  // namespace kvantage::inline report
