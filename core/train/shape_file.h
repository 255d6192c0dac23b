// The shape of a trained model as its folder tells it: who goes on from a folder, or asks it, need not know how it was
// made.
#pragma once

#include <filesystem>

#include "core/base/json.h"
#include "core/train/trainer.h"

namespace kvantage {

/// The fields of config.json that are the shape.
OrderedJson shape_fields(const TrainShape& shape);

/// What folder/config.json says. rejected_input: absent, of another kind of model, or of widths that cannot be trained.
Expected<TrainShape> read_shape(const std::filesystem::path& folder);

}  // namespace kvantage
