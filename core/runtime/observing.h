// Observes a context with a loaded model: only what a method needs, each only once.
#pragma once

#include <functional>
#include <span>

#include "core/compress/observe.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline runtime {

/// Adds the observations in `needs` that `observed` lacks, by model runs over the context `tokens` with the
/// uncompressed cache `original`. Calibration runs once per model; rejected_input: what is there is of another model.
Status complete_observation(ModelRuntime& runtime, const KvCache& original, std::span<const std::int32_t> tokens,
                            const ObservationNeeds& needs, Observation& observed,
                            const std::function<bool()>& stop = {});

/// Observations available right after a prefill, or with an archived original: queries of the last tokens.
Observation observation_of(const ModelRuntime& runtime, WindowQueries queries);

}  // namespace kvantage::inline runtime
