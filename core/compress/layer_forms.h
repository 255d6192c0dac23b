// What scorers have to know of a model's layers beside their rows.
#pragma once

#include "core/compress/scorers/observation.h"
#include "core/model/config.h"

namespace kvantage::inline compression {

LayerForms layer_forms_of(const ModelConfig& config);

}  // namespace kvantage::inline compression
