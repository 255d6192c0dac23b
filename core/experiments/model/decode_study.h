// Answers under decode-time eviction, one at a time: the measurement of PagedEviction's figures 2 to 4. The whole
// prompt is prefilled, cut to the budget by the scorer of the same name, and then decoded with the eviction method at
// that budget.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/compress/decode/eviction_loop.h"
#include "core/kv/pool_gauges.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline model_experiments {

struct DecodeStudySetting {
  std::string eviction_method;  // text form; empty: the full cache; "quest": no eviction, fewer pages are read
  EvictionOptions eviction;
  bool shared_heads = false;
  int page_tokens = 16;
  int max_tokens = 1024;
  bool whole_length = false;  // always decode max_tokens: comparable times over equally many steps
};

struct DecodeStudyAnswer {
  std::string text;
  int prompt_tokens = 0;
  int answer_tokens = 0;
  double prompt_seconds = 0;    // prefill, observation, cut
  double decode_seconds = 0;    // all tokens after the first
  std::size_t peak_blocks = 0;  // of the pool while decoding
  std::size_t block_bytes = 0;
  PoolGauges gauges;                   // after the last token
  EvictionCounts counts;               // zeros for the full cache
  std::size_t page_summary_bytes = 0;  // quest's
  double rows_read_fraction = 1;       // of the kept rows, in layers where a query selects
};

/// usage: an unknown or malformed eviction method.
Status check_decode_study(const std::string& eviction_method);

/// stop(): polled once per layer; true aborts with `cancelled`. usage: an invalid eviction method or setting.
Expected<DecodeStudyAnswer> answer_with_eviction(ModelRuntime& runtime, const std::string& context,
                                                 const std::string& question, const DecodeStudySetting& setting,
                                                 const Clock& clock, const std::function<bool()>& stop = {});

}  // namespace kvantage::inline model_experiments
