// Which experts a router chooses.
#pragma once

#include <span>
#include <vector>

#include "core/model/config.h"

namespace kvantage::inline model {

struct ChosenExpert {
  int expert = 0;
  float weight = 0;
};

/// The experts with the largest logits [ExpertForm::count], ascending by number; of equal ones the first. Weights are
/// their softmax among themselves, or among all where ExpertForm::normalized is false, times ExpertForm::scale.
/// ExpertScores::sigmoid: those with the largest sum of score and correction [ExpertForm::count]; weights are their
/// scores, normalized or not. Of groups, the best ExpertForm::groups_chosen take part.
std::vector<ChosenExpert> choose_experts(const ExpertForm& form, std::span<const float> logits,
                                         std::span<const float> correction = {});

}  // namespace kvantage::inline model
