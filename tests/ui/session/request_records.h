// A served request with chosen numbers, for the models that count requests.
#pragma once

#include <cstdint>
#include <string>

#include "core/ports/request_record.h"

namespace kvantage::test {

/// Of context c0, c1 or c2, by `id`; `source`: the tier that it was loaded from, or prefill; ttft in seconds.
inline RequestRecord record_of(std::uint64_t id, const std::string& source, double ttft, double quality) {
  RequestRecord record;
  record.id = id;
  record.context = {id % 3, 1};
  record.context_id = "c" + std::to_string(id % 3);
  record.family = id % 2 ? "odd" : "even";
  record.policy = "evicpress";
  record.alpha = 1;
  record.source = source;
  record.context_tokens = 100;
  record.kept_tokens = 100;
  record.timing.ttft_service_seconds = ttft;
  record.quality = {{"token_f1", quality}};
  return record;
}

}  // namespace kvantage::test
