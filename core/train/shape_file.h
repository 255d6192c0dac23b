// The shape of a trained model from its folder: resuming or querying a model requires no other settings.
#pragma once

#include <filesystem>

#include "core/base/json.h"
#include "core/train/trainer.h"

namespace kvantage::inline training {

/// The shape's fields in config.json.
OrderedJson shape_fields(const TrainShape& shape);

/// Reads folder/config.json. rejected_input: absent, another kind of model, or widths that cannot be trained.
Expected<TrainShape> read_shape(const std::filesystem::path& folder);

}  // namespace kvantage::inline training
