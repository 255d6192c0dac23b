// One figure on several models: the verdicts on its claims side by side.
#pragma once

#include <string>
#include <vector>

#include "core/report/figure.h"

namespace kvantage::inline figures {

/// What one command made on one model.
struct ModelResults {
  std::string model;                  // as the user named it
  std::vector<FigureResult> results;  // with verdicts (settle_claims())
};

/// Title of the table of compare_models(): columns "claim", "model", "paper", "unit", "here", "interval", "verdict".
inline constexpr const char* model_claims_title = "Claims of the paper by model";

/// The model behind the title, "A title (reference-mha)", and as the setting "model name".
void name_model(FigureResult& result, const std::string& model);

/// A result whose table has a row for each claim and model: claims in the order of the first model that has them,
/// models in the order given, as in the setting "models". A finding names the claims on which the verdicts differ
/// (agrees, contradicts, cannot tell), of those with a verdict on two models or more: one that is withheld is none.
/// Without a claim, no table. Its provenance is the least direct of the results.
FigureResult compare_models(const std::string& figure, const std::vector<ModelResults>& models);

}  // namespace kvantage::inline figures
