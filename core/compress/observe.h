// Runs the model over a context to see what scorers need beside keys and values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/compress/scorers/observation.h"
#include "core/model/transformer.h"

namespace kvantage {

/// Token ids of what a model is told before it repeats a context, and what it is calibrated on.
struct ObserveTexts {
  std::vector<std::int32_t> repeat_first;  // before the first part
  std::vector<std::int32_t> repeat_next;   // before later parts: the last 8 tokens of the part before follow
  std::vector<std::int32_t> repeat_mark;   // between the wish and the repetition
  std::vector<std::int32_t> calibration;
};

/// Everything `needs` asks for about the context `tokens`, whose uncompressed cache is `original`: queries by a prefill
/// anew, the repeat pass in parts of 2,048 tokens with the original in the cache (about two prefills), the calibration
/// by a prefill of its text. stop(): asked once a layer; true gives up with `cancelled`.
Expected<Observation> observe(Transformer& model, const KvCache& original, std::span<const std::int32_t> tokens,
                              const ObservationNeeds& needs, const ObserveTexts& texts, int chunk_tokens,
                              const std::function<bool()>& stop = {});

/// What queries of tokens at positions 0, 1, ... were before RoPE, on average.
QueryMeans query_means(const WindowQueries& queries, std::span<const float> frequencies, int first_position);

}  // namespace kvantage
