// Answers under eviction while decoding, one at a time: what PagedEviction's figures 2 to 4 measure. The whole prompt is
// prefilled, cut to the budget by the scorer of the evictor's name, and then decoded with the evictor at that budget.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/compress/decode/eviction_loop.h"
#include "core/engine/model_runtime.h"

namespace kvantage {

struct DecodeStudySetting {
  std::string evictor;  // text form; empty: the full cache
  EvictionOptions eviction;
  bool shared_heads = false;
  int page_tokens = 16;
  int max_tokens = 1024;
};

struct DecodeStudyAnswer {
  std::string text;
  int prompt_tokens = 0;
  int answer_tokens = 0;
  double prompt_seconds = 0;  // prefill, observation, cut
  double decode_seconds = 0;  // all tokens behind the first
  std::size_t peak_blocks = 0;  // of the pool while decoding
  std::size_t block_bytes = 0;
  EvictionCounts counts;  // zeros for the full cache
};

/// stop(): asked once a layer; true gives up with `cancelled`. usage: an evictor or setting that makes no sense.
Expected<DecodeStudyAnswer> answer_with_eviction(ModelRuntime& runtime, const std::string& context,
                                                 const std::string& question, const DecodeStudySetting& setting,
                                                 const Clock& clock, const std::function<bool()>& stop = {});

}  // namespace kvantage
