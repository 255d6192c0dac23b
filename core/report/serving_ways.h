// Which way contexts came to requests, and how well that was predicted.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/distribution.h"

namespace kvantage::inline report {

/// "load"; "load_recompute": loaded, and recomputed from stored layer inputs; "hybrid_prefill": the front computed
/// while the back loaded; "recompute": computed although stored, because that was predicted to be faster; "prefill".
std::string_view serving_way(const RequestRecord& record);
/// The same in words: "load", "load, recompute from layer inputs (our extension)", "hybrid prefill", "recompute",
/// "prefill". KVPR recomputes from layer inputs while it decodes, not while it loads.
std::string serving_way_text(std::string_view way);

/// The TTFT, without queueing, that serving or the plan predicted; below 0: none.
double predicted_service_seconds(const RequestRecord& record);

/// Requests that were served one way. predicted_seconds: of those with a prediction.
struct ServingWay {
  Distribution ttft_service_seconds, predicted_seconds, computed_tokens;
};

/// By way, of answered requests in order of completion.
std::map<std::string, ServingWay> serving_ways(const std::vector<const RequestRecord*>& answered);

}  // namespace kvantage::inline report
