// Validates training settings up front, in one line, instead of a library abort midway or a folder that no longer
// answers.
#pragma once

#include <vector>

#include "core/train/trainer.h"

namespace kvantage::inline training {

inline constexpr std::size_t min_text_tokens = 64;  // shorter texts fit no question

/// Every width positive and supported by the kernels; `where` names the source of the shape. usage.
Status check_shape(const TrainShape& shape, const std::string& where);
/// Every number finite and in range, a limit, an output folder. usage.
Status check_training(const TrainOptions& options);
/// Questions, threads and lengths for evaluating a model of `shape`. usage.
Status check_evaluation(const TrainOptions& options, const TrainShape& shape,
                        const std::vector<std::size_t>& context_tokens);

}  // namespace kvantage::inline training
