// Which settings can be trained with at all: said in one line before anything is made, not by a library that aborts in
// the middle or by a folder that no longer answers.
#pragma once

#include <vector>

#include "core/train/trainer.h"

namespace kvantage {

inline constexpr std::size_t least_text_tokens = 64;  // under it no question fits

/// Every width a positive number that the kernels can work with; `where` names what the shape is from. usage.
Status check_shape(const TrainShape& shape, const std::string& where);
/// Every number finite and in its range, a limit, a folder to write to. usage.
Status check_training(const TrainOptions& options);
/// Questions, threads and lengths of an evaluation of a model of `shape`. usage.
Status check_evaluation(const TrainOptions& options, const TrainShape& shape,
                        const std::vector<std::size_t>& context_tokens);

}  // namespace kvantage
