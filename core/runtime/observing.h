// Observation of a context by a loaded model, no more than a method needs and no more often.
#pragma once

#include <functional>
#include <span>

#include "core/compress/observe.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline runtime {

/// Adds to `observed` what `needs` asks for and it lacks, by runs of the model over the context `tokens` whose
/// uncompressed cache is `original`. Calibration is done once for a model.
Status complete_observation(ModelRuntime& runtime, const KvCache& original, std::span<const std::int32_t> tokens,
                            const ObservationNeeds& needs, Observation& observed,
                            const std::function<bool()>& stop = {});

/// What is known right after a prefill, or of an archived original: queries of its last tokens.
Observation observation_of(const ModelRuntime& runtime, WindowQueries queries);

}  // namespace kvantage::inline runtime
