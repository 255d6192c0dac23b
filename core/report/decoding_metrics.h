// Metrics of decoding: inter-token latency, memory, and what planned eviction, decode_offload and speculation did.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/ports/decoding_record.h"
#include "core/report/distribution.h"

namespace kvantage::inline report {

struct DecodingMetrics {
  Distribution itl_seconds{};        // of requests with two or more answer tokens
  Distribution token_gap_seconds{};  // over all gaps between two tokens, not over requests
  Distribution peak_kv_bytes{};      // of a request's cache while it decodes; runs of earlier versions have none
  Distribution held_kv_bytes{};      // the same at its last token
  std::size_t evicted_answers = 0;   // decoded with decode-time eviction
  EvictionWork eviction{};           // sums over these answers
  Distribution recomputed_tokens{};  // of a request
  std::map<std::string, std::map<std::string, Distribution>> by_option{};  // by planned option, then by metric
  // Of answers decoded with decode_offload, per decoded token; empty: there was none.
  Distribution offload_step_seconds{}, offload_predicted_seconds{}, offload_recomputed_tokens{}, offload_read_bytes{};
  // Of answers decoded with speculation, by request; empty: there was none.
  Distribution tokens_per_pass{}, drafted_tokens{}, accepted_tokens{};
};

/// Of answered requests, in order of completion. quality_metric: of planned options.
DecodingMetrics decoding_metrics(const std::vector<const RequestRecord*>& answered, const std::string& quality_metric);
/// Context tokens that were computed though the context had been requested before, those from layer inputs included.
int recomputed_tokens(const RequestRecord& record);

}  // namespace kvantage::inline report
