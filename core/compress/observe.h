// Runs the model over a context to compute what scorers need besides keys and values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/compress/scorers/observation.h"
#include "core/model/transformer.h"

namespace kvantage::inline compression {

/// Token ids of the prompt that makes the model repeat a context, and of the calibration text.
struct ObserveTexts {
  std::vector<std::int32_t> repeat_first;  // before the first part
  std::vector<std::int32_t> repeat_next;   // before later parts: the last 8 tokens of the previous part follow
  std::vector<std::int32_t> repeat_mark;   // between the prompt and the repetition
  std::vector<std::int32_t> calibration;
};

/// Everything in `needs` for the context `tokens`, whose uncompressed cache is `original`. Queries come from another
/// prefill. The repeat pass runs in parts of 2,048 tokens with the original in the cache (about two prefills). The
/// calibration is a prefill of its text. Hidden states come from the same prefill as queries and take 4 bytes x hidden
/// x layers per token; rejected_input: more than the memory that is left, or a model on a device, which does not report
/// them. stop(): polled once per layer; true aborts with `cancelled`.
Expected<Observation> observe(Transformer& model, const KvCache& original, std::span<const std::int32_t> tokens,
                              const ObservationNeeds& needs, const ObserveTexts& texts, int chunk_tokens,
                              const std::function<bool()>& stop = {});

/// Mean queries before RoPE of the tokens at positions 0, 1, ...
QueryMeans query_means(const WindowQueries& queries, std::span<const float> frequencies, int first_position);

}  // namespace kvantage::inline compression
